#include "apiserver/schema/facts_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace capstan::testing::server {
namespace {

Status BrokenFacts(std::string_view what, std::string_view where) {
  return Status::Malformed("facts: " + std::string(what) + ": " + std::string(where));
}

std::vector<std::string_view> SplitFacts(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> Texts(std::string_view text) {
  const auto parts = SplitFacts(text, ',');
  return {parts.begin(), parts.end()};
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool ScalarKind(std::string_view text, TypeKind& kind) {
  static constexpr std::pair<std::string_view, TypeKind> kKinds[] = {
      {"string", TypeKind::kString},   {"bool", TypeKind::kBool},
      {"int32", TypeKind::kInt32},     {"int64", TypeKind::kInt64},
      {"double", TypeKind::kDouble},   {"quantity", TypeKind::kQuantity},
      {"time", TypeKind::kTime},       {"intOrString", TypeKind::kIntOrString},
      {"bytes", TypeKind::kBytes},     {"microtime", TypeKind::kMicroTime},
      {"duration", TypeKind::kString}, {"any", TypeKind::kAny},
  };
  for (const auto& [name, value] : kKinds) {
    if (name != text) continue;
    kind = value;
    return true;
  }
  return false;
}

bool ReadListType(std::string_view text, Field& field) {
  if (text == "atomic") return true;
  if (text == "set") {
    field.list = Field::Topology::kSet;
    return true;
  }
  if (!TakePrefix(text, "map(") || !text.ends_with(')')) return false;
  text.remove_suffix(1);
  field.list = Field::Topology::kMap;
  field.list_map_keys = Texts(text);
  return true;
}

// Decodes "%20" to a blank.
std::string WithBlanks(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find("%20");
    out += text.substr(0, end);
    if (end == std::string_view::npos) break;
    out += ' ';
    text.remove_prefix(end + 3);
  }
  return out;
}

bool ReadDefault(std::string_view text, Field& field) {
  Result<json::ParsedValue> value = json::ParseValue(std::string(text));
  if (value.ok()) field.default_value = std::move(value->value);
  return value.ok();
}

// Parses "2.1" to {2, 1}. "-" means no number.
bool ReadNumber(std::string_view text, Field& field) {
  if (text == "-") return true;
  for (const std::string_view part : SplitFacts(text, '.')) {
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || stop != part.data() + part.size()) return false;
    field.number.push_back(number);
  }
  return !field.number.empty();
}

bool ReadAttribute(std::string_view word, Field& field) {
  if (word == "required") return field.required = true;
  if (word == "retainKeys") return field.patch_retain_keys = true;
  if (word == "atomic") return field.atomic = true;
  if (word == "merge") return field.patch_merge = true;
  if (word == "replace") return field.patch_replace = true;
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
  if (TakePrefix(word, "default=")) return ReadDefault(word, field);
  if (!TakePrefix(word, "enum=")) return false;
  for (const std::string_view value : SplitFacts(word, ',')) {
    field.enumeration.push_back(WithBlanks(value));
  }
  return true;
}

}  // namespace

Status FactsReader::Read(std::string_view text) {
  for (const std::string_view line : SplitFacts(text, '\n')) {
    if (line.front() == '#') continue;
    if (Status status = ReadLine(line); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FactsReader::ReadLine(std::string_view line) {
  const Words words = SplitFacts(line, ' ');
  if (words.size() < 2) return BrokenFacts("a line needs a name and more", line);
  if (line.front() != ' ') {
    if (words[0] == "resource") return ReadResource(words);
    if (words[0] == "package") return ReadPackage(words);
    if (words[0] == "type" || words[0] == "kind") return ReadType(words, words[0] == "kind");
    return BrokenFacts("not known", line);
  }
  if (current_) return ReadField(words);
  if (resources_.empty()) return BrokenFacts("a field before the first type", line);
  if (words[0] == "subresource") return ReadSubresource(words);
  if (TakePrefix(line, " columns ")) return ReadColumns(line);
  return BrokenFacts("a field before the first type", words[0]);
}

Status FactsReader::ReadResource(const Words& words) {
  constexpr size_t kFixed = 5;
  if (words.size() < kFixed) return BrokenFacts("a resource has too few words", words.back());
  current_ = nullptr;
  ResourceFacts& facts = resources_.emplace_back();
  facts.api_version = words[1];
  facts.name = words[2];
  facts.kind = words[3];
  facts.namespaced = words[4] == "namespaced";
  for (size_t i = kFixed; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word == "off") {
      facts.served_by_default = false;
    } else if (TakePrefix(word, "singular=")) {
      facts.singular = word;
    } else if (TakePrefix(word, "short=")) {
      facts.short_names = Texts(word);
    } else if (TakePrefix(word, "categories=")) {
      facts.categories = Texts(word);
    } else if (TakePrefix(word, "verbs=")) {
      facts.verbs = Texts(word);
    } else {
      return BrokenFacts("not an attribute of a resource", word);
    }
  }
  return Status::Ok();
}

Status FactsReader::ReadSubresource(const Words& words) {
  std::string_view verbs = words.back();
  if (words.size() < 4 || !TakePrefix(verbs, "verbs=")) {
    return BrokenFacts("a subresource has too few words", words[1]);
  }
  resources_.back().subresources.push_back(
      {std::string(words[1]), std::string(words[2]), Texts(verbs)});
  return Status::Ok();
}

// NAME:TYPE:FORMAT:PRIORITY|...
Status FactsReader::ReadColumns(std::string_view text) {
  for (std::string_view column : SplitFacts(text, '|')) {
    ColumnFacts facts;
    std::string priority;
    for (std::string* part : {&facts.name, &facts.type, &facts.format, &priority}) {
      const size_t end = std::min(column.find(':'), column.size());
      *part = column.substr(0, end);
      column.remove_prefix(std::min(end + 1, column.size()));
    }
    if (facts.type.empty() || priority.empty()) return BrokenFacts("not a column", facts.name);
    facts.priority = priority == "0" ? 0 : 1;
    resources_.back().columns.push_back(std::move(facts));
  }
  return Status::Ok();
}

Status FactsReader::ReadPackage(const Words& words) {
  if (words.size() != 3) return BrokenFacts("a package has two names", words[1]);
  package_ = words[1];
  openapi_package_ = words[2];
  return Status::Ok();
}

Status FactsReader::ReadType(const Words& words, bool is_kind) {
  if (package_.empty()) return BrokenFacts("a type before the first package", words[1]);
  const std::string name = Qualified(words[1]);
  if (!defined_.emplace(name).second) return BrokenFacts("a type appears twice", name);
  current_ = Object(name);
  current_->package = openapi_package_;
  if (!is_kind) {
    if (words.size() > 2 && words[2] != "atomic") {
      return BrokenFacts("not an attribute of a type", words[2]);
    }
    current_->atomic = words.size() > 2;
    return Status::Ok();
  }
  if (words.size() < 3) return BrokenFacts("a kind needs an apiVersion", name);
  set_.names_.emplace(std::string(words[2]) + "." + std::string(words[1]), current_);
  AddMember("apiVersion", "The group and version of the schema that this object follows.");
  AddMember("kind", "The kind of this object, in CamelCase.");
  return Status::Ok();
}

void FactsReader::AddMember(std::string_view name, std::string_view description) {
  Field field;
  field.name = name;
  field.type.kind = TypeKind::kString;
  field.presence = Presence::kIfNotZero;
  field.description = description;
  current_->fields.push_back(std::move(field));
}

Status FactsReader::ReadField(const Words& words) {
  Field field;
  field.name = words[0];
  field.type = TypeOf(words[1]);
  if (words.size() < 3 || !ReadNumber(words[2], field)) {
    return BrokenFacts("a field needs a number", words[0]);
  }
  for (size_t i = 3; i < words.size(); ++i) {
    if (!ReadAttribute(words[i], field)) return BrokenFacts("not an attribute", words[i]);
  }
  if (field.name == "metadata" && words[1].ends_with("ObjectMeta")) {
    field.description = "What all objects have: name, namespace, labels, owners and the like.";
  }
  current_->fields.push_back(std::move(field));
  return Status::Ok();
}

ValueType FactsReader::TypeOf(std::string_view text) {
  ValueType type;
  if (ScalarKind(text, type.kind)) return type;
  const bool is_list = TakePrefix(text, "[]");
  if (!is_list && !TakePrefix(text, "map[string]")) {
    type.kind = TypeKind::kObject;
    type.object = Object(Qualified(text));
    return type;
  }
  type.kind = is_list ? TypeKind::kList : TypeKind::kMap;
  const ValueType element = TypeOf(text);
  type.element = &set_.elements_.emplace_back(element);
  return type;
}

std::string FactsReader::Qualified(std::string_view name) const {
  if (name.find('.') != std::string_view::npos) return std::string(name);
  return package_ + "." + std::string(name);
}

ObjectType* FactsReader::Object(std::string_view qualified) {
  std::unique_ptr<ObjectType>& type = set_.types_[std::string(qualified)];
  if (!type) {
    type = std::make_unique<ObjectType>();
    type->name = qualified.substr(qualified.rfind('.') + 1);
  }
  return type.get();
}

Status FactsReader::Describe(std::string_view text) {
  for (const std::string_view line : SplitFacts(text, '\n')) {
    if (line.front() == '#') continue;
    if (Status status = DescribeLine(line); !status.ok()) return status;
  }
  return Status::Ok();
}

Status FactsReader::DescribeLine(std::string_view line) {
  std::string_view description;
  if (const size_t mark = line.find(" # "); mark != std::string_view::npos) {
    description = line.substr(mark + 3);
    line = line.substr(0, mark);
  }
  const Words words = SplitFacts(line, ' ');
  if (line.front() != ' ') {
    const auto type =
        words.size() == 2 && words[0] == "type" ? set_.types_.find(words[1]) : set_.types_.end();
    if (type == set_.types_.end()) return BrokenFacts("unknown type", line);
    described_ = type->second.get();
    described_->description = description;
    return Status::Ok();
  }
  if (!described_) return BrokenFacts("a field before the first type", line);
  const auto field = std::find_if(described_->fields.begin(), described_->fields.end(),
                                  [&words](const Field& one) { return one.name == words[0]; });
  if (field == described_->fields.end()) {
    return BrokenFacts("unknown field", described_->name + "." + std::string(words[0]));
  }
  field->description = description;
  if (words.size() == 1) return Status::Ok();
  std::string_view value = words[1];
  if (words.size() > 2 || !TakePrefix(value, "default=") || !ReadDefault(value, *field)) {
    return BrokenFacts("not a default", line);
  }
  return Status::Ok();
}

// Adds names without a package, where they are unambiguous or have a preferred package.
void FactsReader::AddShortNames() {
  constexpr std::string_view kFirst[] = {"core/v1", "meta/v1", "apps/v1"};
  std::map<std::string, int, std::less<>> counts;
  for (const auto& [name, type] : set_.types_) ++counts[type->name];
  for (const std::string_view package : kFirst) {
    for (const auto& [name, type] : set_.types_) {
      if (name == std::string(package) + "." + type->name) {
        set_.names_.emplace(type->name, type.get());
      }
    }
  }
  for (const auto& [name, type] : set_.types_) {
    if (counts[type->name] == 1) set_.names_.emplace(type->name, type.get());
  }
}

Status FactsReader::Finish() {
  AddShortNames();
  for (auto& [name, type] : set_.types_) {
    if (!defined_.contains(name)) return BrokenFacts("a type is not defined", name);
    std::sort(type->fields.begin(), type->fields.end(),
              [](const Field& a, const Field& b) { return a.name < b.name; });
    const auto twice =
        std::adjacent_find(type->fields.begin(), type->fields.end(),
                           [](const Field& a, const Field& b) { return a.name == b.name; });
    if (twice != type->fields.end()) return BrokenFacts("a field appears twice", twice->name);
  }
  return Status::Ok();
}

}  // namespace capstan::testing::server
