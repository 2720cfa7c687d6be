#include "apiserver/patch/field_tree.h"

#include <algorithm>
#include <set>
#include <utility>

#include "apiserver/codec/go_text.h"

namespace capstan::testing::server {
namespace {

// Returns the default of a key that a list element does not have.
std::optional<json::Value> KeyDefault(const ObjectType& element, const std::string& key) {
  const Field* field = element.Find(key);
  if (!field) return std::nullopt;
  if (field->default_value) return field->default_value;
  if (field->presence != Presence::kOrZero) return std::nullopt;
  if (field->type.kind == TypeKind::kString) return json::Value("");
  return field->type.kind == TypeKind::kBool ? json::Value(false) : json::Value(0);
}

constexpr std::string_view kNumber = "numeric (int or float)";
constexpr std::string_view kText = "string";

// Returns the API's text for the expected type, or "" if the value has it.
std::string_view ExpectedOf(const json::Value& value, TypeKind kind) {
  switch (kind) {
    case TypeKind::kAny:
      return {};
    case TypeKind::kObject:
    case TypeKind::kMap:
      return value.IsObject() ? "" : "map";
    case TypeKind::kList:
      return value.IsArray() ? "" : "list";
    case TypeKind::kString:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kBytes:
      return value.IsString() ? "" : kText;
    case TypeKind::kBool:
      return value.IsBool() ? "" : "boolean";
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDouble:
      return value.IsNumber() ? "" : kNumber;
    case TypeKind::kQuantity:
    case TypeKind::kIntOrString:
      return value.IsObject() || value.IsArray() ? "any scalar" : "";
  }
  return {};
}

// Walks a configuration; see FieldsOfConfiguration.
class ConfigurationWalk {
 public:
  explicit ConfigurationWalk(std::vector<std::string>& errors) : errors_(errors) {}

  // Returns the fieldsV1 node of a value, or nullopt if the value owns nothing.
  std::optional<json::Value> Node(const json::Value& value, const Part& part,
                                  const std::string& path);

 private:
  json::Value Members(const json::Value& value, const Part& part, const std::string& path);
  json::Value Elements(const json::Value& value, const Part& part, const std::string& path);
  bool CheckType(const json::Value& value, const Part& part, const std::string& path);
  void Fail(const std::string& path, const std::string& why) {
    errors_.push_back(path + ": " + why);
  }

  std::vector<std::string>& errors_;
};

bool ConfigurationWalk::CheckType(const json::Value& value, const Part& part,
                                  const std::string& path) {
  if (!part.type || value.IsNull()) return true;
  const std::string_view expected = ExpectedOf(value, part.type->kind);
  if (expected.empty()) return true;
  // The API's format of the value depends on the expected type.
  const std::string got = expected == kNumber ? std::string(GoTypeName(value))
                          : expected == kText
                              ? "&value.valueUnstructured{Value:" + GoText(value) + "}"
                              : "&{" + GoText(value) + "}";
  Fail(path, "expected " + std::string(expected) + ", got " + got);
  return false;
}

std::optional<json::Value> ConfigurationWalk::Node(const json::Value& value, const Part& part,
                                                   const std::string& path) {
  if (!CheckType(value, part, path)) return std::nullopt;
  if (part.IsGranularMap(value)) {
    json::Value node = Members(value, part, path);
    if (node.members().empty() && !value.members().empty()) return std::nullopt;
    return node;
  }
  if (part.IsGranularList(value)) {
    json::Value node = Elements(value, part, path);
    if (node.members().empty()) return std::nullopt;
    return node;
  }
  // The fields of an atomic value must be declared too.
  if (value.IsObject()) Members(value, part, path);
  return json::Value::Object();
}

json::Value ConfigurationWalk::Members(const json::Value& value, const Part& part,
                                       const std::string& path) {
  json::Value node = json::Value::Object();
  for (const json::Member& member : value.members()) {
    const std::string here = path + "." + member.key;
    const bool declared = part.Declares(member.key);
    const ObjectType* object =
        part.type && part.type->kind == TypeKind::kObject ? part.type->object : nullptr;
    if (object && !declared && !object->preserve_unknown) {
      Fail(here, "field not declared in schema");
      break;  // the API reports only the first one
    }
    std::optional<json::Value> child = Node(member.value, part.Member(member.key), here);
    if (!child) continue;
    if (!declared && !child->members().empty()) child->Set(".", json::Value::Object());
    node.Set("f:" + member.key, std::move(*child));
  }
  return node;
}

json::Value ConfigurationWalk::Elements(const json::Value& value, const Part& part,
                                        const std::string& path) {
  json::Value::Members nodes;
  std::set<std::string> names;
  for (const json::Value& element : value.items()) {
    const bool is_keyed = part.IsSet() || element.IsObject();
    const std::optional<std::string> name =
        is_keyed ? part.ElementName(element) : std::optional<std::string>();
    if (!name) {
      Fail(path, "element " + std::to_string(&element - value.items().data()) +
                     (is_keyed ? ": associative list with keys has an element that omits key field"
                               : ": associative list with keys may not have non-map elements"));
      continue;
    }
    std::string here = path;
    AppendPathStep(here, *name);
    if (!names.insert(*name).second) {
      Fail(path, "duplicate entries for key " + here.substr(path.size()));
      continue;
    }
    json::Value child = Node(element, part.Element(), here).value_or(json::Value::Object());
    if (!child.members().empty()) child.Set(".", json::Value::Object());
    nodes.push_back({*name, std::move(child)});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  json::Value node = json::Value::Object();
  node.MutableMembers() = std::move(nodes);
  return node;
}

}  // namespace

bool Part::IsGranularMap(const json::Value& value) const {
  if (!value.IsObject()) return false;
  if (field && field->atomic) return false;
  if (!type) return true;
  if (type->kind == TypeKind::kObject) return !type->object->atomic;
  return type->kind == TypeKind::kMap || type->kind == TypeKind::kAny;
}

bool Part::IsGranularList(const json::Value& value) const {
  return value.IsArray() && field && type && type->kind == TypeKind::kList &&
         field->list != Field::Topology::kAtomic;
}

Part Part::Member(std::string_view key) const {
  if (!type) return {};
  if (type->kind == TypeKind::kMap) return {type->element, nullptr};
  if (type->kind != TypeKind::kObject) return {};
  const Field* member = type->object->Find(key);
  return member ? Part{&member->type, member} : Part{};
}

bool Part::Declares(std::string_view key) const {
  return type && type->kind == TypeKind::kObject && type->object->Find(key);
}

std::optional<std::string> Part::ElementName(const json::Value& element) const {
  if (IsSet()) return "v:" + json::ToJson(element);
  if (!field || !type || !type->element) return std::nullopt;
  json::Value keys = json::Value::Object();
  for (const std::string& key : field->list_map_keys) {
    if (const json::Value* value = element.Find(key)) {
      keys.Set(key, *value);
      continue;
    }
    if (type->element->kind != TypeKind::kObject) return std::nullopt;
    std::optional<json::Value> value = KeyDefault(*type->element->object, key);
    if (!value) return std::nullopt;
    keys.Set(key, std::move(*value));
  }
  return "k:" + json::ToJson(keys);
}

PartIndex::PartIndex(const json::Value& value, const Part& part) : value_(value) {
  if (!part.IsGranularList(value)) return;
  const json::Value::Items& items = value.items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (std::optional<std::string> name = part.ElementName(items[i])) {
      places_.emplace(*std::move(name), i);
    }
  }
}

const json::Value* PartIndex::Find(std::string_view name) const {
  if (const std::optional<std::string_view> key = MemberKey(name)) return value_.Find(*key);
  const auto first = places_.lower_bound(name);
  if (first == places_.end() || first->first != name) return nullptr;
  return &value_.items()[first->second];
}

std::vector<size_t> PartIndex::PlacesOf(std::string_view name) const {
  std::vector<size_t> places;
  const auto [first, end] = places_.equal_range(name);
  for (auto place = first; place != end; ++place) places.push_back(place->second);
  return places;
}

std::optional<std::string_view> MemberKey(std::string_view name) {
  if (!name.starts_with("f:")) return std::nullopt;
  return name.substr(2);
}

Part PartNamed(const Part& part, std::string_view name) {
  const std::optional<std::string_view> key = MemberKey(name);
  return key ? part.Member(*key) : part.Element();
}

bool OwnsItself(const json::Value& node) { return node.members().empty() || node.Find("."); }

void AppendPathStep(std::string& path, std::string_view name) {
  const std::string text(name.substr(std::min<size_t>(2, name.size())));
  if (name.starts_with("v:")) {
    path += "[=" + text + "]";
  } else if (name.starts_with("k:")) {
    const Result<json::ParsedValue> keys = json::ParseValue(text);
    path += '[';
    if (keys.ok()) {
      const char* separator = "";
      for (const json::Member& key : keys->value.members()) {
        path += separator + key.key + "=" + json::ToJson(key.value);
        separator = ",";
      }
    }
    path += ']';
  } else {
    path += "." + text;
  }
}

json::Value FieldsOfConfiguration(const json::Value& configuration, const ObjectType& type,
                                  std::vector<std::string>& errors) {
  const ValueType root{TypeKind::kObject, &type, nullptr};
  return ConfigurationWalk(errors)
      .Node(configuration, Part::Of(root), "")
      .value_or(json::Value::Object());
}

}  // namespace capstan::testing::server
