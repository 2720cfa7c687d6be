#include "api/protobuf/scalars.h"

#include <string>

#include "api/field_access.h"
#include "api/scalar.h"
#include "base/json/json_text.h"

namespace capstan::protobuf {
namespace {

using internal::As;

// The times that RFC 3339 can express: the years 0 to 9999.
constexpr int64_t kFirstSecond = -62'167'219'200;
constexpr int64_t kLastSecond = 253'402'300'799;
// Go's zero time, the beginning of the year 1. JSON shows it as null.
constexpr int64_t kGoZeroSecond = -62'135'596'800;

// meta/v1 Timestamp. An empty message is the zero time.
struct Timestamp {
  int64_t seconds = kGoZeroSecond;
  int32_t nanos = 0;
};

Status ReadTimestamp(std::string_view message, Timestamp& time) {
  if (message.empty()) return Status::Ok();
  time.seconds = 0;
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 1) time.seconds = static_cast<int64_t>(reader.Integer());
    if (reader.number() == 2) time.nanos = static_cast<int32_t>(reader.Integer());
  }
  if (Status status = ErrorOf(reader); !status.ok()) return status;
  if (time.seconds >= kFirstSecond && time.seconds <= kLastSecond) return Status::Ok();
  return Status::Malformed(std::to_string(time.seconds) + " s is no time in the years 0 to 9999");
}

Status ReadTime(std::string_view message, api::Time& value) {
  Timestamp time;
  if (Status status = ReadTimestamp(message, time); !status.ok()) return status;
  value = time.seconds == kGoZeroSecond ? api::Time() : api::Time::FromSeconds(time.seconds);
  return Status::Ok();
}

Status ReadMicroTime(std::string_view message, api::MicroTime& value) {
  Timestamp time;
  if (Status status = ReadTimestamp(message, time); !status.ok()) return status;
  const bool zero = time.seconds == kGoZeroSecond && time.nanos == 0;
  value = zero ? api::MicroTime()
               : api::MicroTime::FromMicroseconds(time.seconds * 1'000'000 + time.nanos / 1000);
  return Status::Ok();
}

// util/intstr IntOrString: type 0 is the integer, type 1 the string.
Status ReadIntOrString(std::string_view message, api::IntOrString& value) {
  uint64_t type = 0;
  int32_t integer = 0;
  std::string_view text;
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 1) type = reader.Integer();
    if (reader.number() == 2) integer = static_cast<int32_t>(reader.Integer());
    if (reader.number() == 3) text = reader.Bytes();
  }
  if (Status status = ErrorOf(reader); !status.ok()) return status;
  if (type > 1) return internal::Mismatch("an integer or a string", "another type");
  if (type == 1 && !json::IsValidUtf8(text)) return Status::Malformed("not valid UTF-8");
  value = type == 1 ? api::IntOrString(InternedString(text)) : api::IntOrString(integer);
  return Status::Ok();
}

Status ReadText(const FieldDescriptor& field, std::string_view text, void* slot) {
  if (field.flags & kQuantity) {
    if (Status status = ReadQuantity(text, text); !status.ok()) return status;
  }
  return internal::AssignScalar(field.kind, slot, {internal::Scalar::Kind::kString, false, text});
}

}  // namespace

Status ErrorOf(const WireReader& reader) {
  return reader.error().empty() ? Status::Ok() : Status::Malformed(std::string(reader.error()));
}

Status ReadQuantity(std::string_view message, std::string_view& text) {
  WireReader reader(message);
  std::string_view found;
  while (reader.Next()) {
    if (reader.number() == 1) found = reader.Bytes();
  }
  text = found;
  return ErrorOf(reader);
}

Status ReadScalar(const FieldDescriptor& field, WireReader& reader, void* slot) {
  switch (field.kind) {
    case FieldKind::kBool:
      As<bool>(slot) = reader.Integer() != 0;
      return Status::Ok();
    case FieldKind::kInt32:
      As<int32_t>(slot) = static_cast<int32_t>(reader.Integer());
      return Status::Ok();
    case FieldKind::kInt64:
      As<int64_t>(slot) = static_cast<int64_t>(reader.Integer());
      return Status::Ok();
    case FieldKind::kString:
    case FieldKind::kInternedString:
    case FieldKind::kUid:
      return ReadText(field, reader.Bytes(), slot);
    case FieldKind::kTime:
      return ReadTime(reader.Bytes(), As<api::Time>(slot));
    case FieldKind::kMicroTime:
      return ReadMicroTime(reader.Bytes(), As<api::MicroTime>(slot));
    case FieldKind::kIntOrString:
      return ReadIntOrString(reader.Bytes(), As<api::IntOrString>(slot));
    case FieldKind::kStringMap:
    case FieldKind::kRawJson:
    case FieldKind::kObject:
    case FieldKind::kUnknownMembers:
      break;
  }
  return Status::Malformed("it is kept as JSON, which cannot be read from protobuf");
}

}  // namespace capstan::protobuf
