// Conform (decoding.h).

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "apiserver/codec/base64_text.h"
#include "apiserver/codec/decoding.h"
#include "apiserver/codec/json_syntax.h"
#include "apiserver/codec/quantity_text.h"
#include "apiserver/codec/time_text.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/schema/go_type_names.h"
#include "apiserver/validation/field_error.h"

namespace capstan::testing::server {
namespace {

// The maximum number of errors that the API lists.
constexpr size_t kMaxStrictErrors = 100;

// "v1.PodSpec"
std::string GoNameOf(const ObjectType& type) {
  const std::string& package = type.package;
  const std::string version = package.empty() ? "v1" : package.substr(package.rfind('.') + 1);
  return version + "." + type.name;
}

// `named` is the Go name of the type, if it has one and is not a list.
std::string GoName(const ValueType& type, std::string_view named) {
  if (!named.empty() && type.kind != TypeKind::kList) return std::string(named);
  switch (type.kind) {
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt32:
    case TypeKind::kIntOrString:
      return "int32";
    case TypeKind::kInt64:
      return "int64";
    case TypeKind::kDouble:
      return "float64";
    case TypeKind::kBytes:
      return "[]uint8";
    case TypeKind::kObject:
      return GoNameOf(*type.object);
    case TypeKind::kList:
      return "[]" + GoName(*type.element, named);
    case TypeKind::kMap:
      return "map[string]" + GoName(*type.element, named);
    case TypeKind::kString:
    case TypeKind::kQuantity:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kAny:
      break;
  }
  return "string";
}

// Custom resources keep nulls only if the schema allows them. Other code checks the nulls of
// apiVersion, kind and metadata.
bool KeepsNull(const Field& field) {
  return field.nullable || field.name == "apiVersion" || field.name == "kind" ||
         field.name == "metadata";
}

// Conforms a value to its type. Values that are already conformant are not copied, so they stay
// shared.
class Conformer {
 public:
  // Returns whether `value` must be replaced with `out`.
  bool Object(const json::Value& value, const ObjectType& type, json::Value& out);

  // The error that takes precedence over strict errors.
  Status error() const { return fatal_.ok() ? first_ : fatal_; }
  const std::vector<std::string>& unknown_fields() const { return unknown_; }

 private:
  // The current position. Lists and maps are steps in the path, but not in Go's field names.
  struct Step {
    const std::string* name = nullptr;  // null: a list's index
    size_t index = 0;
    bool is_field = false;
  };

  bool Value(const json::Value& value, const ValueType& type, json::Value& out);
  bool List(const json::Value& value, const ValueType& type, json::Value& out);
  bool Map(const json::Value& value, const ValueType& type, json::Value& out);
  bool Scalar(const json::Value& value, const ValueType& type, json::Value& out);
  bool Text(const json::Value& value, Result<std::string> canonical, json::Value& out);
  // Returns the value that replaces a null element.
  json::Value Zero(const ValueType& type);

  bool WrongType(const json::Value& value, const ValueType& type);
  void Unknown(const std::string& field);
  std::string Path() const;

  std::vector<Step> path_;
  std::vector<const ObjectType*> objects_;
  Status first_;
  Status fatal_;
  std::vector<std::string> unknown_;
};

std::string Conformer::Path() const {
  std::string path;
  for (const Step& step : path_) {
    if (!step.name) {
      path += '[' + std::to_string(step.index) + ']';
    } else {
      if (!path.empty()) path += '.';
      path += *step.name;
    }
  }
  return path;
}

void Conformer::Unknown(const std::string& field) {
  if (unknown_.size() >= kMaxStrictErrors) return;
  const std::string path = Path();
  unknown_.push_back(path.empty() ? field : path + "." + field);
}

bool Conformer::WrongType(const json::Value& value, const ValueType& type) {
  if (!first_.ok()) return false;
  std::string what(JsonName(value));
  const bool to_number = type.kind == TypeKind::kInt32 || type.kind == TypeKind::kInt64 ||
                         type.kind == TypeKind::kIntOrString || type.kind == TypeKind::kDouble;
  if (value.IsNumber() && to_number) what += " " + json::ToJson(value);
  std::string fields;
  const auto last =
      std::find_if(path_.rbegin(), path_.rend(), [](const Step& step) { return step.is_field; });
  const std::string go_name =
      GoName(type, last == path_.rend() ? "" : GoTypeName(objects_.back()->name, *last->name));
  // The metadata of a custom resource is decoded separately.
  const bool of_custom = !objects_.empty() && objects_.front()->custom;
  auto object = objects_.begin();
  for (const Step& step : path_) {
    if (!step.is_field) continue;
    const bool is_root = of_custom && &step == &path_.front();
    if (!is_root) fields += GoEmbeddedStruct((*object)->name, *step.name) + "." + *step.name;
    ++object;
  }
  first_ = BadRequestError(
      fields.empty() ? "json: cannot unmarshal " + what + " into Go value of type " + go_name
                     : "json: cannot unmarshal " + what + " into Go struct field " +
                           objects_.back()->name + fields + " of type " + go_name);
  return false;
}

bool Conformer::Object(const json::Value& value, const ObjectType& type, json::Value& out) {
  const json::Value::Members& members = value.members();
  json::Value::Members changed;
  bool is_changed = false;
  size_t next = 0;  // the next member
  // Starts a copy of the members, because they differ from those of `value`.
  const auto change = [&] {
    if (is_changed) return;
    is_changed = true;
    changed.reserve(members.size() + 2);
    changed.assign(members.begin(), members.begin() + static_cast<ptrdiff_t>(next));
  };
  const auto add = [&](const Field& field) {
    if (field.presence != Presence::kOrZero && field.presence != Presence::kOrNull) return;
    change();
    changed.push_back(
        {field.name, field.presence == Presence::kOrNull ? json::Value() : Zero(field.type)});
  };
  objects_.push_back(&type);
  auto field = type.fields.begin();
  for (; next < members.size(); ++next) {
    const json::Member& member = members[next];
    for (; field != type.fields.end() && field->name < member.key; ++field) add(*field);
    if (field == type.fields.end() || field->name != member.key) {
      if (type.preserve_unknown) {
        if (is_changed) changed.push_back(member);
      } else {
        Unknown(member.key);
        change();
      }
      continue;
    }
    json::Value conformed;
    bool replaced = false;
    if (!member.value.IsNull()) {
      path_.push_back({&field->name, 0, true});
      replaced = Value(member.value, field->type, conformed);
      path_.pop_back();
    }
    const json::Value& now = replaced ? conformed : member.value;
    const bool keeps_null =
        field->presence == Presence::kOrNull || (type.custom && KeepsNull(*field));
    if (now.IsNull() && !keeps_null) {
      change();
      add(*field);
    } else if (field->presence == Presence::kIfNotZero && now.IsEmpty() &&
               field->type.kind != TypeKind::kObject && field->type.kind != TypeKind::kAny) {
      change();
    } else if (replaced) {
      change();
      changed.push_back({field->name, std::move(conformed)});
    } else if (is_changed) {
      changed.push_back(member);
    }
    ++field;
  }
  for (; field != type.fields.end(); ++field) add(*field);
  objects_.pop_back();
  if (is_changed) out.MutableMembers() = std::move(changed);
  return is_changed;
}

bool Conformer::Value(const json::Value& value, const ValueType& type, json::Value& out) {
  if (!fatal_.ok()) return false;
  const bool custom = !objects_.empty() && objects_.back()->custom;
  switch (type.kind) {
    case TypeKind::kAny:
      return false;
    case TypeKind::kObject:
      if (value.IsObject()) return Object(value, *type.object, out);
      return !(custom && type.object->custom) && WrongType(value, type);
    case TypeKind::kList:
      if (value.IsArray()) return List(value, type, out);
      return !custom && WrongType(value, type);
    case TypeKind::kMap:
      if (value.IsObject()) return Map(value, type, out);
      return !custom && WrongType(value, type);
    default:
      return !custom && Scalar(value, type, out);
  }
}

bool Conformer::List(const json::Value& value, const ValueType& type, json::Value& out) {
  const json::Value::Items& items = value.items();
  const bool custom = objects_.back()->custom;
  bool changed = false;
  for (size_t i = 0; i < items.size(); ++i) {
    json::Value conformed;
    if (items[i].IsNull() && !custom && type.element->kind != TypeKind::kAny) {
      conformed = Zero(*type.element);
    } else {
      path_.push_back({nullptr, i, false});
      const bool replaced = Value(items[i], *type.element, conformed);
      path_.pop_back();
      if (!replaced) continue;
    }
    if (!changed) out = value;
    changed = true;
    out.MutableItems()[i] = std::move(conformed);
  }
  return changed;
}

bool Conformer::Map(const json::Value& value, const ValueType& type, json::Value& out) {
  const json::Value::Members& members = value.members();
  const bool custom = objects_.back()->custom;
  bool changed = false;
  for (size_t i = 0; i < members.size(); ++i) {
    json::Value conformed;
    if (members[i].value.IsNull() && !custom && type.element->kind != TypeKind::kAny) {
      conformed = Zero(*type.element);
    } else {
      path_.push_back({&members[i].key, 0, false});
      const bool replaced = Value(members[i].value, *type.element, conformed);
      path_.pop_back();
      if (!replaced) continue;
    }
    if (!changed) out = value;
    changed = true;
    out.MutableMembers()[i].value = std::move(conformed);
  }
  return changed;
}

bool Conformer::Text(const json::Value& value, Result<std::string> canonical, json::Value& out) {
  if (!canonical.ok()) {
    fatal_ = canonical.status();
    return false;
  }
  if (value.IsString() && *canonical == value.AsString()) return false;
  out = std::move(*canonical);
  return true;
}

bool Conformer::Scalar(const json::Value& value, const ValueType& type, json::Value& out) {
  constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
  const auto is_int32 = [&] {
    const int64_t number = value.AsInteger();
    return value.IsInteger() && number <= kMaxInt32 && number >= -kMaxInt32 - 1;
  };
  switch (type.kind) {
    case TypeKind::kString:
      return !value.IsString() && WrongType(value, type);
    case TypeKind::kBool:
      return !value.IsBool() && WrongType(value, type);
    case TypeKind::kInt32:
      return !is_int32() && WrongType(value, type);
    case TypeKind::kInt64:
      return !value.IsInteger() && WrongType(value, type);
    case TypeKind::kDouble:
      return !value.IsNumber() && WrongType(value, type);
    case TypeKind::kIntOrString:
      return !value.IsString() && !is_int32() && WrongType(value, type);
    case TypeKind::kQuantity: {
      std::string text = value.IsString() ? value.AsString() : json::ToJson(value);
      const size_t start = text.find_first_not_of(' ');
      const size_t end = text.find_last_not_of(' ');
      text = start == std::string::npos ? "" : text.substr(start, end - start + 1);
      return Text(value, CanonicalQuantityText(text), out);
    }
    case TypeKind::kTime:
    case TypeKind::kMicroTime: {
      if (!value.IsString()) return WrongType(value, type);
      const bool micro = type.kind == TypeKind::kMicroTime;
      const bool changed = Text(value, CanonicalTimeText(value.AsString(), micro), out);
      if (changed && out.AsString().empty()) out = json::Value();
      return changed;
    }
    case TypeKind::kBytes: {
      if (value.IsArray() && value.items().empty()) {
        out = "";  // Go reads a list of numbers as bytes
        return true;
      }
      if (!value.IsString()) return WrongType(value, type);
      Result<std::string> canonical = CanonicalBase64Text(value.AsString());
      if (canonical.ok()) return Text(value, std::move(canonical), out);
      if (first_.ok()) first_ = canonical.status();
      return false;
    }
    default:
      return false;
  }
}

json::Value Conformer::Zero(const ValueType& type) {
  switch (type.kind) {
    case TypeKind::kString:
    case TypeKind::kBytes:
      return "";
    case TypeKind::kBool:
      return false;
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDouble:
    case TypeKind::kIntOrString:
      return 0;
    case TypeKind::kQuantity:
      return "0";
    case TypeKind::kObject: {
      json::Value object = json::Value::Object();
      json::Value filled;
      return Object(object, *type.object, filled) ? filled : object;
    }
    default:
      return {};
  }
}

// An annotation of DaemonSets is a number, as it becomes a field of the internal version.
Status CheckAnnotations(const json::Value& object, const ObjectType& type) {
  constexpr std::string_view kGeneration = "deprecated.daemonset.template.generation";
  const json::Value* text = object.Get("metadata", "annotations").Find(kGeneration);
  if (type.name != "DaemonSet" || !text) return Status::Ok();
  const std::string& digits = text->AsString();
  int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (stop == end && error == std::errc()) return Status::Ok();
  return BadRequestError("strconv.ParseInt: parsing " + Quoted(digits) + ": invalid syntax");
}

// Returns the errors of strict decoding without duplicates.
std::vector<std::string> StrictErrors(const std::vector<std::string>& unknown,
                                      const std::vector<std::string>& duplicates) {
  std::vector<std::string> errors;
  errors.reserve(duplicates.size() + unknown.size());
  for (const std::string& field : duplicates) {
    // The YAML reader has already formatted its errors.
    errors.push_back(field.rfind("yaml: ", 0) == 0 ? field : "duplicate field \"" + field + "\"");
  }
  for (const std::string& field : unknown) errors.push_back("unknown field \"" + field + "\"");
  std::vector<std::string> unique;
  for (std::string& error : errors) {
    if (unique.size() >= kMaxStrictErrors) break;
    if (std::find(unique.begin(), unique.end(), error) == unique.end()) {
      unique.push_back(std::move(error));
    }
  }
  return unique;
}

}  // namespace

Result<Decoded> Conform(json::Value value, const ObjectType& type, FieldValidation validation,
                        const std::vector<std::string>& duplicates) {
  if (!value.IsObject()) {
    return BadRequestError("json: cannot unmarshal " + std::string(JsonName(value)) +
                           " into Go value of type " + GoNameOf(type));
  }
  Conformer conformer;
  json::Value conformed;
  const bool changed = conformer.Object(value, type, conformed);
  if (Status error = conformer.error(); !error.ok()) return error;
  Decoded decoded{.object = changed ? std::move(conformed) : std::move(value), .warnings = {}};
  if (Status status = CheckAnnotations(decoded.object, type); !status.ok()) return status;
  if (validation == FieldValidation::kIgnore) return decoded;

  std::vector<std::string> errors = StrictErrors(conformer.unknown_fields(), duplicates);
  if (errors.empty() || validation == FieldValidation::kWarn) {
    decoded.warnings = StrictWarnings(std::move(errors));
    return decoded;
  }
  std::string message = "strict decoding error: ";
  for (size_t i = 0; i < errors.size(); ++i) message += (i > 0 ? ", " : "") + errors[i];
  return BadRequestError(std::move(message));
}

}  // namespace capstan::testing::server
