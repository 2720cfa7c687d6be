#include "api/scalar.h"

#include <charconv>

#include "api/field_access.h"
#include "base/json/json_text.h"

namespace capstan::internal {
namespace {

// Values in messages are truncated to this length.
constexpr size_t kMaxQuoted = 64;

template <class Int>
Status AssignInteger(std::string_view text, Int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool out_of_range = error == std::errc::result_out_of_range;
  // This also rejects a number such as 1e3: the API's own decoder only accepts plain integers.
  const bool whole = end == text.data() + text.size();
  if (error == std::errc() && whole) return Status::Ok();
  const std::string quoted(text.substr(0, kMaxQuoted));
  if (out_of_range && whole) {
    return Status::Malformed(quoted + " is out of the range of int" +
                             std::to_string(sizeof(Int) * 8));
  }
  return Mismatch("an integer", quoted);
}

template <class T>
Status AssignTime(std::string_view text, T& value) {
  const auto time = T::Parse(text);
  if (time) value = *time;
  return time.status();
}

Status AssignNumber(FieldKind kind, void* slot, std::string_view text) {
  if (kind == FieldKind::kInt32) return AssignInteger(text, As<int32_t>(slot));
  if (kind == FieldKind::kInt64) return AssignInteger(text, As<int64_t>(slot));
  if (kind != FieldKind::kIntOrString) return Mismatch(ExpectedFor(kind), "a number");
  int32_t value = 0;
  Status status = AssignInteger(text, value);
  As<api::IntOrString>(slot) = value;
  return status;
}

Status AssignText(FieldKind kind, void* slot, std::string_view text) {
  if (!json::IsValidUtf8(text)) return Status::Malformed("not valid UTF-8");
  switch (kind) {
    case FieldKind::kString:
      As<std::string>(slot) = text;
      break;
    case FieldKind::kInternedString:
      As<InternedString>(slot) = text;
      break;
    case FieldKind::kUid:
      As<Uid>(slot) = text;
      break;
    case FieldKind::kIntOrString:
      As<api::IntOrString>(slot) = InternedString(text);
      break;
    case FieldKind::kTime:
      return AssignTime(text, As<api::Time>(slot));
    case FieldKind::kMicroTime:
      return AssignTime(text, As<api::MicroTime>(slot));
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kStringMap:
    case FieldKind::kRawJson:
    case FieldKind::kObject:
    case FieldKind::kUnknownMembers:
      return Mismatch(ExpectedFor(kind), "a string");
  }
  return Status::Ok();
}

}  // namespace

std::string_view NameOf(Scalar::Kind kind) {
  static constexpr std::string_view kNames[] = {"null", "a boolean", "a number", "a string"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view ExpectedFor(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
      return "a boolean";
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return "an integer";
    case FieldKind::kIntOrString:
      return "an integer or a string";
    case FieldKind::kStringMap:
    case FieldKind::kObject:
    case FieldKind::kRawJson:
    case FieldKind::kUnknownMembers:
      return "an object";
    case FieldKind::kString:
    case FieldKind::kInternedString:
    case FieldKind::kUid:
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      break;
  }
  return "a string";
}

Status Mismatch(std::string_view expected, std::string_view found) {
  return Status::Malformed("expected " + std::string(expected) + ", found " + std::string(found));
}

Status AssignScalar(FieldKind kind, void* slot, const Scalar& scalar) {
  switch (scalar.kind) {
    case Scalar::Kind::kNumber:
      return AssignNumber(kind, slot, scalar.text);
    case Scalar::Kind::kString:
      return AssignText(kind, slot, scalar.text);
    case Scalar::Kind::kBool:
      if (kind != FieldKind::kBool) break;
      As<bool>(slot) = scalar.flag;
      return Status::Ok();
    case Scalar::Kind::kNull:
      break;
  }
  return Mismatch(ExpectedFor(kind), NameOf(scalar.kind));
}

}  // namespace capstan::internal
