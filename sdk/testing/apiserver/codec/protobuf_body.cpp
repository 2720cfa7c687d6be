#include "apiserver/codec/protobuf_body.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include <capstan/api/time.h>

#include "apiserver/codec/protobuf_numbers.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/schema/schema.h"
#include "base/json/json_text.h"
#include "base/protobuf/wire_reader.h"
#include "base/text/base64.h"
#include "json/value.h"

namespace capstan::testing::server {
namespace {

using json::Value;
using protobuf::WireReader;

constexpr std::string_view kMagic("k8s\0", 4);

// Sorts the entries of a map. Of duplicate keys the last one is kept.
void Sort(Value::Members& members) {
  const auto before = [](const json::Member& a, const json::Member& b) { return a.key < b.key; };
  std::stable_sort(members.begin(), members.end(), before);
  const auto same = [](const json::Member& a, const json::Member& b) { return a.key == b.key; };
  const auto first = std::unique(members.rbegin(), members.rend(), same).base();
  members.erase(members.begin(), first);
}

// Decodes a message to a JSON value, guided by its type. Unknown fields are skipped.
class Decoder {
 public:
  bool malformed() const { return malformed_; }

  Value Object(std::string_view message, const ObjectType& type) {
    Value object = Value::Object();
    const NumberedFields* numbers = NumbersOf(type);
    if (!numbers) return object;
    Fields(message, *numbers, object);
    for (json::Member& member : object.MutableMembers()) {
      const Field* field = type.Find(member.key);
      if (field && field->type.kind == TypeKind::kMap) Sort(member.value.MutableMembers());
    }
    return object;
  }

 private:
  void Fields(std::string_view message, const NumberedFields& numbers, Value& object) {
    WireReader reader(message);
    while (reader.Next()) {
      if (const auto field = numbers.fields.find(reader.number()); field != numbers.fields.end()) {
        Add(*field->second, reader, object);
      } else if (const auto inner = numbers.embedded.find(reader.number());
                 inner != numbers.embedded.end()) {
        Fields(reader.Bytes(), inner->second, object);
      }
    }
    malformed_ = malformed_ || !reader.error().empty();
  }

  void Add(const Field& field, WireReader& reader, Value& object) {
    if (field.type.kind == TypeKind::kList) {
      Value item = One(*field.type.element, reader);
      object.Mutable(field.name).Append(std::move(item));
      return;
    }
    if (field.type.kind == TypeKind::kMap) {
      Value::Members& entries = object.Mutable(field.name).MutableMembers();
      entries.push_back(Entry(reader.Bytes(), *field.type.element));
      return;
    }
    Value value = One(field.type, reader);
    // Go encodes unset fields as their zero values.
    if (value.IsNull() || (field.presence == Presence::kIfNotZero && value.IsEmpty())) return;
    object.Set(field.name, std::move(value));
  }

  json::Member Entry(std::string_view message, const ValueType& type) {
    json::Member entry;
    if (type.kind == TypeKind::kString || type.kind == TypeKind::kBytes) entry.value = "";
    WireReader reader(message);
    while (reader.Next()) {
      if (reader.number() == 1) entry.key = Text(reader.Bytes());
      if (reader.number() == 2) entry.value = One(type, reader);
    }
    malformed_ = malformed_ || !reader.error().empty();
    return entry;
  }

  // A message that wraps a list, used for the values of maps of lists.
  Value Wrapped(std::string_view message, const ValueType& element) {
    Value list = Value::Array();
    WireReader reader(message);
    while (reader.Next()) {
      if (reader.number() == 1) list.Append(One(element, reader));
    }
    malformed_ = malformed_ || !reader.error().empty();
    return list;
  }

  Value One(const ValueType& type, WireReader& reader) {
    switch (type.kind) {
      case TypeKind::kString:
        return Value(Text(reader.Bytes()));
      case TypeKind::kBool:
        return reader.Integer() != 0;
      case TypeKind::kInt32:
        return static_cast<int64_t>(static_cast<int32_t>(reader.Integer()));
      case TypeKind::kInt64:
        return static_cast<int64_t>(reader.Integer());
      case TypeKind::kDouble:
        return std::bit_cast<double>(reader.Fixed64());
      case TypeKind::kBytes:
        return text::EncodeBase64(reader.Bytes());
      case TypeKind::kQuantity:
        return Value(Text(First(reader.Bytes())));
      case TypeKind::kAny:
        return Raw(First(reader.Bytes()));
      case TypeKind::kIntOrString:
        return IntOrString(reader.Bytes());
      case TypeKind::kTime:
      case TypeKind::kMicroTime:
        return Time(reader.Bytes(), type.kind == TypeKind::kMicroTime);
      case TypeKind::kObject:
        return type.object ? Object(reader.Bytes(), *type.object) : Value();
      case TypeKind::kList:
        return Wrapped(reader.Bytes(), *type.element);
      case TypeKind::kMap:
        break;
    }
    return {};
  }

  std::string_view Text(std::string_view bytes) {
    malformed_ = malformed_ || !json::IsValidUtf8(bytes);
    return bytes;
  }

  // Returns field 1, the only field of some messages.
  std::string_view First(std::string_view message) {
    std::string_view bytes;
    WireReader reader(message);
    while (reader.Next()) {
      if (reader.number() == 1) bytes = reader.Bytes();
    }
    malformed_ = malformed_ || !reader.error().empty();
    return bytes;
  }

  Value Raw(std::string_view text) {
    if (text.empty()) return {};
    auto parsed = json::ParseValue(std::string(text));
    if (parsed) return std::move(parsed->value);
    malformed_ = true;
    return {};
  }

  Value IntOrString(std::string_view message) {
    bool is_text = false;
    int64_t number = 0;
    std::string text;
    WireReader reader(message);
    while (reader.Next()) {
      if (reader.number() == 1) is_text = reader.Integer() == 1;
      if (reader.number() == 2) number = static_cast<int32_t>(reader.Integer());
      if (reader.number() == 3) text = Text(reader.Bytes());
    }
    malformed_ = malformed_ || !reader.error().empty();
    return is_text ? Value(std::move(text)) : Value(number);
  }

  Value Time(std::string_view message, bool micro) {
    constexpr int64_t kFirst = -62'135'596'800;  // the year 1
    constexpr int64_t kLast = 253'402'300'799;   // the year 9999
    int64_t seconds = 0;
    int64_t nanos = 0;
    WireReader reader(message);
    while (reader.Next()) {
      if (reader.number() == 1) seconds = static_cast<int64_t>(reader.Integer());
      if (reader.number() == 2) nanos = static_cast<int32_t>(reader.Integer());
    }
    malformed_ = malformed_ || !reader.error().empty() || seconds < kFirst || seconds > kLast;
    if (malformed_ || message.empty()) return {};
    if (!micro) return api::Time::FromSeconds(seconds).ToString();
    return api::MicroTime::FromMicroseconds(seconds * 1'000'000 + nanos / 1000).ToString();
  }

  bool malformed_ = false;
};

// runtime.Unknown, the envelope.
struct Envelope {
  std::string api_version;
  std::string kind;
  std::string_view raw;
  bool well_formed = false;
};

Envelope Open(std::string_view message) {
  Envelope envelope;
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 2) envelope.raw = reader.Bytes();
    if (reader.number() != 1) continue;
    WireReader type_meta(reader.Bytes());
    while (type_meta.Next()) {
      if (type_meta.number() == 1) envelope.api_version = type_meta.Bytes();
      if (type_meta.number() == 2) envelope.kind = type_meta.Bytes();
    }
    if (!type_meta.error().empty()) return envelope;
  }
  envelope.well_formed = reader.error().empty() && json::IsValidUtf8(envelope.api_version) &&
                         json::IsValidUtf8(envelope.kind);
  return envelope;
}

}  // namespace

Result<std::optional<std::string>> JsonOfProtobuf(std::string_view body) {
  const Status malformed = BadRequestError("the body is not an object in the protobuf encoding");
  if (!body.starts_with(kMagic)) return malformed;
  const Envelope envelope = Open(body.substr(kMagic.size()));
  if (!envelope.well_formed) return malformed;
  const ObjectType* type = TypeOfKind(envelope.api_version, envelope.kind);
  if (!type || !NumbersOf(*type)) return std::optional<std::string>();
  Decoder decoder;
  Value object = decoder.Object(envelope.raw, *type);
  if (decoder.malformed()) return malformed;
  object.Set("apiVersion", envelope.api_version);
  object.Set("kind", envelope.kind);
  return std::optional<std::string>(json::ToJson(object));
}

}  // namespace capstan::testing::server
