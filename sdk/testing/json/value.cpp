#include "json/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/json/json_text.h"
#include "base/json/rapidjson.h"

namespace capstan::json {
namespace {

const Value kNull;
const std::string kNoText;
const Value::Items kNoItems;
const Value::Members kNoMembers;

auto PlaceOf(auto& members, std::string_view key) {
  return std::lower_bound(
      members.begin(), members.end(), key,
      [](const Member& member, std::string_view wanted) { return member.key.compare(wanted) < 0; });
}

// Returns the member with this key, or the end. In small objects, comparing key sizes is faster
// than binary search.
auto MemberOf(auto& members, std::string_view key) {
  constexpr size_t kSmall = 24;
  if (members.size() <= kSmall) {
    return std::find_if(members.begin(), members.end(),
                        [key](const Member& member) { return member.key == key; });
  }
  const auto place = PlaceOf(members, key);
  return place != members.end() && place->key == key ? place : members.end();
}

// Merges `more` into `object`, recursively. Members of `more` take precedence.
void PutOver(Value& object, const Value& more) {
  for (const Member& member : more.members()) {
    Value& place = object.Mutable(member.key);
    if (place.IsObject() && member.value.IsObject()) {
      PutOver(place, member.value);
    } else {
      place = member.value;
    }
  }
}

// Builds a Value from parser events. Open containers are separate from their parents, and are moved
// into place when they are complete.
class ValueBuilder {
 public:
  ValueBuilder(std::vector<std::string>& duplicates, Repeated repeated)
      : duplicates_(duplicates), repeated_(repeated) {}

  bool Null() { return Add(Value()); }
  bool Bool(bool value) { return Add(Value(value)); }
  bool Number(std::string_view text);
  bool String(std::string_view text) { return IsText(text) && Add(Value(text)); }
  bool Key(std::string_view text) {
    if (!IsText(text)) return false;
    open_.back().key = text;
    return true;
  }
  bool StartObject() { return Open(false); }
  bool EndObject();
  bool StartArray() { return Open(true); }
  bool EndArray() {
    Value::Items items = std::move(open_.back().items);
    open_.pop_back();
    return Add(Value::Array(std::move(items)));
  }

  Value Take() { return std::move(root_); }
  const Status& status() const { return status_; }

 private:
  struct Container {
    bool is_array = false;
    std::string key;  // key of the member that is being parsed
    Value::Items items;
    std::vector<Member> members;
  };

  bool Fail(std::string why) {
    status_ = Status::Malformed(std::move(why));
    return false;
  }
  bool IsText(std::string_view text) {
    return IsValidUtf8(text) || Fail("not valid JSON: a string is not valid UTF-8");
  }
  bool Open(bool is_array) {
    if (open_.size() >= kMaxValueDepth) return Fail("the JSON is nested too deeply");
    open_.push_back({.is_array = is_array, .key = {}, .items = {}, .members = {}});
    return true;
  }
  bool Add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.push_back({std::move(open_.back().key), std::move(value)});
    }
    return true;
  }
  // Returns the path of the container that was just closed: "spec.containers[0]".
  std::string PathHere() const {
    std::string path;
    for (const Container& container : open_) {
      if (container.is_array) {
        path += '[' + std::to_string(container.items.size()) + ']';
      } else {
        if (!path.empty()) path += '.';
        path += container.key;
      }
    }
    return path;
  }
  // The limit bounds memory: many members below a long path would need too much.
  void AddDuplicate(const std::string& key) {
    constexpr size_t kMost = 100;
    if (duplicates_.size() >= kMost) return;
    const std::string here = PathHere();
    std::string path = here.empty() ? key : here + "." + key;
    if (duplicates_.empty() || duplicates_.back() != path) duplicates_.push_back(std::move(path));
  }

  std::vector<std::string>& duplicates_;
  const Repeated repeated_;
  std::vector<Container> open_;
  Value root_;
  Status status_;
};

bool ValueBuilder::Number(std::string_view text) {
  const char* const end = text.data() + text.size();
  int64_t integer = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, integer);
      stop == end && error == std::errc() && text != "-0") {
    return Add(Value(integer));
  }
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range || !std::isfinite(number)) {
    // A number too small for a double becomes 0. A number too large is an error, as in other JSON
    // readers.
    if (std::abs(number) < 1 && error == std::errc::result_out_of_range) return Add(Value(0.0));
    return Fail("not valid JSON: the number " + std::string(text.substr(0, 40)) +
                " is out of range");
  }
  if (stop != end || error != std::errc()) return Fail("not valid JSON: a number is malformed");
  return Add(Value(number));
}

bool ValueBuilder::EndObject() {
  std::vector<Member> members = std::move(open_.back().members);
  open_.pop_back();
  const auto before = [](const Member& a, const Member& b) { return a.key < b.key; };
  if (!std::is_sorted(members.begin(), members.end(), before)) {
    std::stable_sort(members.begin(), members.end(), before);
  }
  const auto same = [](const Member& a, const Member& b) { return a.key == b.key; };
  if (std::adjacent_find(members.begin(), members.end(), same) != members.end()) {
    std::vector<Member> unique;
    for (Member& member : members) {
      if (unique.empty() || unique.back().key != member.key) {
        unique.push_back(std::move(member));
        continue;
      }
      AddDuplicate(member.key);
      const bool merges = repeated_ == Repeated::kMerged && unique.back().value.IsObject();
      if (!merges || (!member.value.IsObject() && !member.value.IsNull())) {
        unique.back() = std::move(member);
      } else {
        PutOver(unique.back().value, member.value);
      }
    }
    members = std::move(unique);
  }
  Value object = Value::Object();
  object.MutableMembers() = std::move(members);
  return Add(std::move(object));
}

bool SameNumber(const Value& a, const Value& b) {
  if (a.IsInteger() && b.IsInteger()) return a.AsInteger() == b.AsInteger();
  return a.AsDouble() == b.AsDouble();
}

void AppendDouble(std::string& out, double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    out += std::to_string(static_cast<int64_t>(number));
    return;
  }
  char text[32];
  const auto result = std::to_chars(text, text + sizeof(text), number);
  out.append(text, result.ptr);
}

}  // namespace

Value Value::Array(std::initializer_list<Value> items) { return Array(Items(items)); }

Value Value::Array(Items items) {
  Value value;
  value.state_.emplace<Shared<Items>>(std::move(items));
  return value;
}

Value Value::Object(std::initializer_list<Member> members) {
  Value value;
  value.state_.emplace<Shared<Members>>();
  for (const Member& member : members) value.Set(member.key, member.value);
  return value;
}

bool Value::IsEmpty() const {
  switch (kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return !AsBool();
    case Kind::kInteger:
    case Kind::kDouble:
      return AsDouble() == 0;
    case Kind::kString:
      return AsString().empty();
    case Kind::kArray:
      return items().empty();
    case Kind::kObject:
      return members().empty();
  }
  return true;
}

bool Value::AsBool() const {
  const bool* value = std::get_if<bool>(&state_);
  return value && *value;
}

int64_t Value::AsInteger() const {
  if (const auto* value = std::get_if<int64_t>(&state_)) return *value;
  if (const auto* value = std::get_if<double>(&state_)) {
    constexpr double kLimit = 9.2e18;
    if (std::abs(*value) < kLimit) return static_cast<int64_t>(*value);
  }
  return 0;
}

double Value::AsDouble() const {
  if (const auto* value = std::get_if<double>(&state_)) return *value;
  if (const auto* value = std::get_if<int64_t>(&state_)) return static_cast<double>(*value);
  return 0;
}

const std::string& Value::AsString() const {
  const auto* value = std::get_if<std::string>(&state_);
  return value ? *value : kNoText;
}

const Value::Items& Value::items() const {
  const auto* value = std::get_if<Shared<Items>>(&state_);
  return value ? value->get() : kNoItems;
}

const Value::Members& Value::members() const {
  const auto* value = std::get_if<Shared<Members>>(&state_);
  return value ? value->get() : kNoMembers;
}

Value::Items& Value::MutableItems() {
  if (!IsArray()) state_.emplace<Shared<Items>>();
  return std::get<Shared<Items>>(state_).Mutable();
}

Value::Members& Value::MutableMembers() {
  if (!IsObject()) state_.emplace<Shared<Members>>();
  return std::get<Shared<Members>>(state_).Mutable();
}

void Value::Append(Value item) { MutableItems().push_back(std::move(item)); }

const Value* Value::Find(std::string_view key) const {
  const Members& all = members();
  const auto member = MemberOf(all, key);
  return member != all.end() ? &member->value : nullptr;
}

const Value& Value::GetOne(std::string_view key) const {
  const Value* member = Find(key);
  return member ? *member : kNull;
}

Value& Value::MutableOne(std::string_view key) {
  Members& all = MutableMembers();
  if (const auto member = MemberOf(all, key); member != all.end()) return member->value;
  return all.insert(PlaceOf(all, key), Member{std::string(key), Value()})->value;
}

bool Value::Erase(std::string_view key) {
  if (!Find(key)) return false;
  Members& all = MutableMembers();
  all.erase(PlaceOf(all, key));
  return true;
}

bool operator==(const Value& a, const Value& b) {
  if (a.IsNumber() && b.IsNumber()) return SameNumber(a, b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::kArray: {
      const auto& left = std::get<Value::Shared<Value::Items>>(a.state_);
      const auto& right = std::get<Value::Shared<Value::Items>>(b.state_);
      return left.SameAs(right) || left.get() == right.get();
    }
    case Value::Kind::kObject: {
      const auto& left = std::get<Value::Shared<Value::Members>>(a.state_);
      const auto& right = std::get<Value::Shared<Value::Members>>(b.state_);
      return left.SameAs(right) || left.get() == right.get();
    }
    case Value::Kind::kString:
      return a.AsString() == b.AsString();
    case Value::Kind::kBool:
      return a.AsBool() == b.AsBool();
    default:
      return true;
  }
}

bool operator==(const Member& a, const Member& b) { return a.key == b.key && a.value == b.value; }

Result<ParsedValue> ParseValue(std::string text, Repeated repeated) {
  ParsedValue parsed;
  ValueBuilder builder(parsed.duplicates, repeated);
  if (Status status = ParseInPlace(text, builder); !status.ok()) {
    return builder.status().ok() ? status : builder.status();
  }
  parsed.value = builder.Take();
  return parsed;
}

void AppendJson(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      out += "null";
      return;
    case Value::Kind::kBool:
      out += value.AsBool() ? "true" : "false";
      return;
    case Value::Kind::kInteger:
      out += std::to_string(value.AsInteger());
      return;
    case Value::Kind::kDouble:
      AppendDouble(out, value.AsDouble());
      return;
    case Value::Kind::kString:
      AppendString(out, value.AsString());
      return;
    case Value::Kind::kArray: {
      char separator = '[';
      for (const Value& item : value.items()) {
        out += separator;
        AppendJson(out, item);
        separator = ',';
      }
      out += value.items().empty() ? "[]" : "]";
      return;
    }
    case Value::Kind::kObject: {
      char separator = '{';
      for (const Member& member : value.members()) {
        out += separator;
        AppendString(out, member.key);
        out += ':';
        AppendJson(out, member.value);
        separator = ',';
      }
      out += value.members().empty() ? "{}" : "}";
      return;
    }
  }
}

std::string ToJson(const Value& value) {
  std::string out;
  AppendJson(out, value);
  return out;
}

}  // namespace capstan::json
