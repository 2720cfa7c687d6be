#include "apiserver/schema/schema_reader.h"

#include <algorithm>
#include <utility>

namespace capstan::testing::server {
namespace {

Status Broken(std::string_view what, std::string_view where) {
  return Status::Malformed("schema table: " + std::string(what) + ": " + std::string(where));
}

std::vector<std::string_view> Words(std::string_view line, char separator = ' ') {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(separator), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view NameWithoutGroup(std::string_view name) {
  return name.substr(name.rfind('.') == std::string_view::npos ? 0 : name.rfind('.') + 1);
}

bool ScalarKind(std::string_view text, TypeKind& kind) {
  static constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
      {"string", TypeKind::kString}, {"bool", TypeKind::kBool},
      {"int32", TypeKind::kInt32},   {"int64", TypeKind::kInt64},
      {"double", TypeKind::kDouble}, {"quantity", TypeKind::kQuantity},
      {"time", TypeKind::kTime},     {"intOrString", TypeKind::kIntOrString},
      {"bytes", TypeKind::kBytes},   {"microtime", TypeKind::kMicroTime},
      {"any", TypeKind::kAny},
  };
  for (const auto& [name, value] : kKinds) {
    if (name != text) continue;
    kind = value;
    return true;
  }
  return false;
}

bool ReadListType(std::string_view text, Field& field) {
  if (text == "set") {
    field.list = Field::Topology::kSet;
    return true;
  }
  if (!TakePrefix(text, "map(") || text.empty() || text.back() != ')') return false;
  text.remove_suffix(1);
  field.list = Field::Topology::kMap;
  for (const std::string_view key : Words(text, ',')) field.list_map_keys.emplace_back(key);
  return true;
}

bool ReadAttribute(std::string_view word, Field& field) {
  if (word == "required") return field.required = true;
  if (word == "retainKeys") return field.patch_retain_keys = true;
  if (word == "atomic") return field.atomic = true;
  if (word == "merge") return field.patch_merge = true;
  if (word == "omit" || word == "always" || word == "null") {
    field.presence = word == "omit"     ? Presence::kIfNotZero
                     : word == "always" ? Presence::kOrZero
                                        : Presence::kOrNull;
    return true;
  }
  if (TakePrefix(word, "merge=")) {
    field.patch_merge_key = word;
    return field.patch_merge = true;
  }
  if (TakePrefix(word, "list=")) return ReadListType(word, field);
  if (TakePrefix(word, "default=")) {
    Result<json::ParsedValue> value = json::ParseValue(std::string(word));
    if (value.ok()) field.default_value = std::move(value->value);
    return value.ok();
  }
  return false;
}

}  // namespace

Status SchemaReader::Read(std::string_view text) {
  for (const std::string_view line : Words(text, '\n')) {
    if (Status status = ReadLine(line); !status.ok()) return status;
  }
  return Status::Ok();
}

Status SchemaReader::ReadLine(std::string_view line) {
  std::string_view description;
  if (const size_t mark = line.find(" # "); mark != std::string_view::npos) {
    description = line.substr(mark + 3);
    line = line.substr(0, mark);
  }
  const std::vector<std::string_view> words = Words(line);
  if (words.size() < 2) return Broken("a line needs a name and a type", line);
  return words[0] == "type" && line[0] != ' ' ? ReadType(words, description)
                                              : ReadField(words, description);
}

Status SchemaReader::ReadType(const std::vector<std::string_view>& words,
                              std::string_view description) {
  if (!defined_.emplace(words[1]).second) return Broken("a type is there twice", words[1]);
  current_ = Object(words[1]);
  current_->description = description;
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i] != "atomic") return Broken("not an attribute of a type", words[i]);
    current_->atomic = true;
  }
  return Status::Ok();
}

Status SchemaReader::ReadField(const std::vector<std::string_view>& words,
                               std::string_view description) {
  if (!current_) return Broken("a field before the first type", words[0]);
  Field field;
  field.name = words[0];
  field.type = TypeOf(words[1]);
  field.description = description;
  for (size_t i = 2; i < words.size(); ++i) {
    if (!ReadAttribute(words[i], field)) return Broken("not an attribute", words[i]);
  }
  current_->fields.push_back(std::move(field));
  return Status::Ok();
}

ValueType SchemaReader::TypeOf(std::string_view text) {
  ValueType type;
  if (ScalarKind(text, type.kind)) return type;
  const bool is_list = TakePrefix(text, "[]");
  if (!is_list && !TakePrefix(text, "map[string]")) {
    type.kind = TypeKind::kObject;
    type.object = Object(text);
    return type;
  }
  type.kind = is_list ? TypeKind::kList : TypeKind::kMap;
  const ValueType element = TypeOf(text);
  type.element = &set_.elements_.emplace_back(element);
  return type;
}

ObjectType* SchemaReader::Object(std::string_view name) {
  std::unique_ptr<ObjectType>& type = set_.types_[std::string(name)];
  if (!type) {
    type = std::make_unique<ObjectType>();
    type->name = NameWithoutGroup(name);
  }
  return type.get();
}

Status SchemaReader::Finish() {
  for (auto& [name, type] : set_.types_) {
    if (!defined_.contains(name)) return Broken("a type is not defined", name);
    std::sort(type->fields.begin(), type->fields.end(),
              [](const Field& a, const Field& b) { return a.name < b.name; });
    const auto twice =
        std::adjacent_find(type->fields.begin(), type->fields.end(),
                           [](const Field& a, const Field& b) { return a.name == b.name; });
    if (twice != type->fields.end()) return Broken("a field is there twice", twice->name);
  }
  return Status::Ok();
}

}  // namespace capstan::testing::server
