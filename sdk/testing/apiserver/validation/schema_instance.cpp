#include "apiserver/validation/schema_instance.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/codec/json_syntax.h"
#include "apiserver/validation/pattern.h"

namespace capstan::testing::server {
namespace {

// Errors of combined schemas have no field.
constexpr std::string_view kNoField = "<nil>";

// Whether the number is an integer that a double represents exactly.
bool IsWhole(const json::Value& value) {
  constexpr double kMost = 9007199254740991;
  if (!value.IsNumber()) return false;
  const double number = value.AsDouble();
  return value.IsInteger() || (number == std::floor(number) && std::fabs(number) <= kMost);
}

std::string_view TypeOf(const json::Value& value) {
  if (value.kind() == json::Value::Kind::kBool) return "boolean";
  if (value.kind() == json::Value::Kind::kInteger) return "integer";
  return JsonName(value);
}

// A number as Go's %v prints it.
std::string NumberText(double number) {
  constexpr double kLarge = 1e6;
  constexpr double kSmall = 1e-4;
  const double size = std::fabs(number);
  std::array<char, 400> text;
  const bool scientific = size >= kLarge || (size > 0 && size < kSmall);
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), number,
                    scientific ? std::chars_format::scientific : std::chars_format::fixed);
  return std::string(text.data(), result.ptr);
}

std::string BoundText(const json::Value& value, const json::Value& bound) {
  // Integers are compared as integers.
  if (value.IsInteger()) return std::to_string(bound.AsInteger());
  return NumberText(bound.AsDouble());
}

class Instance {
 public:
  explicit Instance(FieldErrors& errors) : errors_(errors) {}

  void Validate(const json::Value& value, const json::Value& schema, const std::string& path) {
    if (!ValidateType(value, schema, path) && value.IsNull()) return;
    if (value.IsNull()) {
      ValidateEnum(value, schema, path);
      return;
    }
    ValidateCombinations(value, schema, path);
    if (value.IsString()) ValidateString(value, schema, path);
    if (value.IsNumber()) ValidateNumber(value, schema, path);
    if (value.IsArray()) ValidateArray(value, schema, path);
    ValidateEnum(value, schema, path);
    if (value.IsObject()) ValidateObject(value, schema, path);
  }

 private:
  static std::string Child(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }

  void Invalid(const std::string& path, const json::Value& value, const std::string& says) {
    errors_.Invalid(path.empty() ? std::string(kNoField) : path, value, path + " in body " + says);
  }

  bool ValidateType(const json::Value& value, const json::Value& schema, const std::string& path) {
    std::string wanted = schema.Get("type").AsString();
    if (schema.Get("x-kubernetes-int-or-string").AsBool()) wanted = "integer,string";
    if (wanted.empty()) return true;
    if (value.IsNull()) {
      if (schema.Get("nullable").AsBool()) return true;
    } else if (wanted == "integer,string") {
      if (IsWhole(value) || value.IsString()) return true;
    } else if (wanted == "integer") {
      if (IsWhole(value)) return true;
    } else if (wanted == "number") {
      if (value.IsNumber()) return true;
    } else if (TypeOf(value) == wanted) {
      return true;
    }
    const std::string found(TypeOf(value));
    errors_.Add({FieldError::Type::kTypeInvalid, path.empty() ? std::string(kNoField) : path,
                 Quoted(found),
                 path + " in body must be of type " + wanted + ": " + Quoted(found)});
    return false;
  }

  void ValidateEnum(const json::Value& value, const json::Value& schema, const std::string& path) {
    const auto& allowed = schema.Get("enum").items();
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
      return;
    }
    std::vector<std::string> texts;
    for (const json::Value& one : allowed) {
      texts.push_back(one.IsString() ? one.AsString() : json::ToJson(one));
    }
    errors_.NotSupported(path, value, texts);
  }

  void ValidateString(const json::Value& value, const json::Value& schema,
                      const std::string& path) {
    const std::string& text = value.AsString();
    const auto length = static_cast<int64_t>(std::count_if(text.begin(), text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
    const json::Value& longest = schema.Get("maxLength");
    if (longest.IsNumber() && length > longest.AsInteger()) {
      errors_.TooLong(path, longest.AsInteger());
      return;
    }
    const json::Value& shortest = schema.Get("minLength");
    if (shortest.IsNumber() && length < shortest.AsInteger()) {
      Invalid(path, value,
              "should be at least " + std::to_string(shortest.AsInteger()) + " chars long");
      return;
    }
    const std::string& expression = schema.Get("pattern").AsString();
    if (expression.empty()) return;
    const auto pattern = Pattern::Compile(expression);
    if (pattern && !pattern->IsFoundIn(text)) {
      Invalid(path, value, "should match '" + expression + "'");
    }
  }

  void ValidateNumber(const json::Value& value, const json::Value& schema,
                      const std::string& path) {
    const double number = value.AsDouble();
    if (schema.Get("type").AsString() == "integer" && !IsWhole(value)) {
      errors_.Invalid(std::string(kNoField), "",
                      "Checked value must be of type integer (default format) in " + path);
    }
    if (const json::Value& factor = schema.Get("multipleOf");
        factor.IsNumber() && factor.AsDouble() > 0 &&
        std::fabs(std::remainder(number, factor.AsDouble())) > 0) {
      Invalid(path, value, "should be a multiple of " + BoundText(value, factor));
    }
    if (const json::Value& least = schema.Get("minimum"); least.IsNumber()) {
      const bool exclusive = schema.Get("exclusiveMinimum").AsBool();
      if (exclusive ? number <= least.AsDouble() : number < least.AsDouble()) {
        Invalid(path, value,
                (exclusive ? "should be greater than " : "should be greater than or equal to ") +
                    BoundText(value, least));
      }
    }
    if (const json::Value& most = schema.Get("maximum"); most.IsNumber()) {
      const bool exclusive = schema.Get("exclusiveMaximum").AsBool();
      if (exclusive ? number >= most.AsDouble() : number > most.AsDouble()) {
        Invalid(path, value,
                (exclusive ? "should be less than " : "should be less than or equal to ") +
                    BoundText(value, most));
      }
    }
  }

  void ValidateArray(const json::Value& value, const json::Value& schema, const std::string& path) {
    const auto& items = value.items();
    const json::Value& of_items = schema.Get("items");
    if (of_items.IsObject()) {
      for (size_t i = 0; i < items.size(); ++i) {
        Validate(items[i], of_items, path + "[" + std::to_string(i) + "]");
      }
    }
    const auto size = static_cast<int64_t>(items.size());
    if (const json::Value& least = schema.Get("minItems");
        least.IsNumber() && size < least.AsInteger()) {
      Invalid(path, size, "should have at least " + std::to_string(least.AsInteger()) + " items");
    }
    if (const json::Value& most = schema.Get("maxItems");
        most.IsNumber() && size > most.AsInteger()) {
      errors_.TooMany(path, size, most.AsInteger());
    }
    ValidateKeys(items, schema, path);
  }

  // Lists of type set or map must not have duplicate items.
  void ValidateKeys(const json::Value::Items& items, const json::Value& schema,
                    const std::string& path) {
    const std::string& list_type = schema.Get("x-kubernetes-list-type").AsString();
    if (list_type != "set" && list_type != "map") return;
    std::set<std::string> seen;
    for (size_t i = 0; i < items.size(); ++i) {
      const json::Value& item = items[i];
      json::Value key = list_type == "set" ? item : json::Value::Object();
      for (const json::Value& name : schema.Get("x-kubernetes-list-map-keys").items()) {
        if (list_type == "set") break;
        const json::Value* value = item.Find(name.AsString());
        if (value) key.Set(name.AsString(), *value);
      }
      if (seen.insert(json::ToJson(key)).second) continue;
      errors_.Duplicate(path + "[" + std::to_string(i) + "]", key);
    }
  }

  void ValidateObject(const json::Value& value, const json::Value& schema,
                      const std::string& path) {
    const auto size = static_cast<int64_t>(value.members().size());
    if (const json::Value& least = schema.Get("minProperties");
        least.IsNumber() && size < least.AsInteger()) {
      Invalid(path, size,
              "should have at least " + std::to_string(least.AsInteger()) + " properties");
    }
    if (const json::Value& most = schema.Get("maxProperties");
        most.IsNumber() && size > most.AsInteger()) {
      errors_.TooMany(path, size, most.AsInteger());
    }
    const json::Value& properties = schema.Get("properties");
    const json::Value& additional = schema.Get("additionalProperties");
    for (const json::Member& member : value.members()) {
      const json::Value* of_member = properties.Find(member.key);
      if (!of_member && additional.IsObject()) of_member = &additional;
      if (of_member) Validate(member.value, *of_member, Child(path, member.key));
    }
    for (const json::Value& name : schema.Get("required").items()) {
      if (!value.Find(name.AsString())) errors_.Required(Child(path, name.AsString()));
    }
  }

  // The errors of the closest branch, and the number of valid branches.
  struct Branches {
    size_t valid = 0;
    FieldErrors nearest;
  };
  static Branches Try(const json::Value& value, const json::Value::Items& schemas,
                      const std::string& path) {
    Branches branches;
    bool first = true;
    for (const json::Value& schema : schemas) {
      FieldErrors errors;
      Instance(errors).Validate(value, schema, path);
      if (errors.empty()) ++branches.valid;
      if (first || errors.all().size() < branches.nearest.all().size()) {
        branches.nearest = std::move(errors);
      }
      first = false;
    }
    return branches;
  }

  void Add(const FieldErrors& errors) {
    for (const FieldError& error : errors.all()) errors_.Add(error);
  }

  void ValidateCombinations(const json::Value& value, const json::Value& schema,
                            const std::string& path) {
    if (const auto& any_of = schema.Get("anyOf").items(); !any_of.empty()) {
      const Branches branches = Try(value, any_of, path);
      if (branches.valid == 0) {
        errors_.Invalid(std::string(kNoField), "",
                        Quoted(path) + " must validate at least one schema (anyOf)");
        Add(branches.nearest);
      }
    }
    if (const auto& one_of = schema.Get("oneOf").items(); !one_of.empty()) {
      const Branches branches = Try(value, one_of, path);
      const std::string begin = Quoted(path) + " must validate one and only one schema (oneOf). ";
      if (branches.valid == 0) {
        errors_.Invalid(std::string(kNoField), "", begin + "Found none valid");
        Add(branches.nearest);
      } else if (branches.valid > 1) {
        errors_.Invalid(std::string(kNoField), "",
                        begin + "Found " + std::to_string(branches.valid) + " valid alternatives");
      }
    }
    if (const auto& all_of = schema.Get("allOf").items(); !all_of.empty()) {
      ValidateAllOf(value, all_of, path);
    }
    if (const json::Value& forbidden = schema.Get("not"); forbidden.IsObject()) {
      FieldErrors errors;
      Instance(errors).Validate(value, forbidden, path);
      if (errors.empty()) {
        errors_.Invalid(std::string(kNoField), "",
                        Quoted(path) + " must not validate the schema (not)");
      }
    }
  }

  void ValidateAllOf(const json::Value& value, const json::Value::Items& schemas,
                     const std::string& path) {
    size_t valid = 0;
    for (const json::Value& schema : schemas) {
      const size_t before = errors_.all().size();
      Validate(value, schema, path);
      if (errors_.all().size() == before) ++valid;
    }
    if (valid == schemas.size()) return;
    errors_.Invalid(std::string(kNoField), "",
                    Quoted(path) + " must validate all the schemas (allOf)" +
                        (valid == 0 ? ". None validated" : ""));
  }

  FieldErrors& errors_;
};

}  // namespace

void ValidateInstance(const json::Value& value, const json::Value& schema, const std::string& path,
                      FieldErrors& errors) {
  Instance(errors).Validate(value, schema, path);
}

}  // namespace capstan::testing::server
