#include "apiserver/codec/protobuf_encoder.h"

#include <cstdint>

#include <protozero/pbf_writer.hpp>

#include <capstan/api/time.h>

#include "apiserver/codec/protobuf_numbers.h"
#include "apiserver/schema/schema.h"
#include "base/text/base64.h"

namespace capstan::testing::server {
namespace {

using json::Value;
using protozero::pbf_writer;

constexpr std::string_view kEnvelopeMagic("k8s\0", 4);

void AddText(pbf_writer& writer, uint32_t number, std::string_view text) {
  writer.add_bytes(number, text.data(), text.size());
}

// Calls `fill` with the writer of a message. The submessages of protozero are left out when empty.
template <class Fill>
void AddMessage(pbf_writer& writer, uint32_t number, const Fill& fill) {
  std::string message;
  pbf_writer inner(message);
  fill(inner);
  AddText(writer, number, message);
}

// Quantity, RawExtension and similar messages, which have one field.
void AddWrapped(pbf_writer& writer, uint32_t number, std::string_view text) {
  AddMessage(writer, number, [text](pbf_writer& message) { AddText(message, 1, text); });
}

void AddTimestamp(pbf_writer& writer, uint32_t number, int64_t microseconds, bool micro) {
  int64_t seconds = microseconds / 1'000'000;
  int64_t rest = microseconds % 1'000'000;
  if (rest < 0) {
    rest += 1'000'000;
    --seconds;
  }
  AddMessage(writer, number, [&](pbf_writer& message) {
    message.add_int64(1, seconds);
    message.add_int32(2, micro ? static_cast<int32_t>(rest * 1000) : 0);
  });
}

// Writes as Go does: every field that is no pointer, also with a zero value.
class ProtobufEncoder {
 public:
  static void Object(pbf_writer& writer, const Value& object, const ObjectType& type) {
    if (const NumberedFields* numbers = NumbersOf(type)) Fields(writer, object, *numbers);
  }

 private:
  static void Fields(pbf_writer& writer, const Value& object, const NumberedFields& numbers) {
    for (const auto& [number, field] : numbers.fields) {
      Add(writer, number, *field, object.Get(field->name));
    }
    for (const auto& entry : numbers.embedded) {
      const NumberedFields& embedded = entry.second;
      AddMessage(writer, entry.first, [&](pbf_writer& inner) { Fields(inner, object, embedded); });
    }
  }

  static void Add(pbf_writer& writer, uint32_t number, const Field& field, const Value& value) {
    switch (field.type.kind) {
      case TypeKind::kList:
        for (const Value& item : value.items()) One(writer, number, *field.type.element, item);
        return;
      case TypeKind::kMap:
        for (const json::Member& member : value.members()) {
          AddMessage(writer, number, [&](pbf_writer& entry) {
            AddText(entry, 1, member.key);
            One(entry, 2, *field.type.element, member.value);
          });
        }
        return;
      default:
        break;
    }
    const bool may_be_absent =
        field.presence == Presence::kIfSet || field.type.kind == TypeKind::kBytes;
    if (!value.IsNull() || !may_be_absent) One(writer, number, field.type, value);
  }

  static void One(pbf_writer& writer, uint32_t number, const ValueType& type, const Value& value) {
    switch (type.kind) {
      case TypeKind::kString:
        return AddText(writer, number, value.AsString());
      case TypeKind::kBool:
        return writer.add_bool(number, value.AsBool());
      case TypeKind::kInt32:
        return writer.add_int32(number, static_cast<int32_t>(value.AsInteger()));
      case TypeKind::kInt64:
        return writer.add_int64(number, value.AsInteger());
      case TypeKind::kDouble:
        return writer.add_double(number, value.AsDouble());
      case TypeKind::kBytes:
        return AddText(writer, number, text::DecodeBase64(value.AsString()).value_or(""));
      case TypeKind::kQuantity:
        return AddWrapped(writer, number,
                          value.IsString() ? value.AsString() : json::ToJson(value));
      case TypeKind::kAny:
        return Raw(writer, number, value);
      case TypeKind::kIntOrString:
        return IntOrString(writer, number, value);
      case TypeKind::kTime:
      case TypeKind::kMicroTime:
        return Time(writer, number, value.AsString(), type.kind == TypeKind::kMicroTime);
      case TypeKind::kObject:
        return AddMessage(writer, number,
                          [&](pbf_writer& message) { Object(message, value, *type.object); });
      case TypeKind::kList:
        return Wrapped(writer, number, *type.element, value);
      case TypeKind::kMap:
        return;
    }
  }

  // A message that wraps a list, used for the values of maps of lists.
  static void Wrapped(pbf_writer& writer, uint32_t number, const ValueType& element,
                      const Value& list) {
    AddMessage(writer, number, [&](pbf_writer& message) {
      for (const Value& item : list.items()) One(message, 1, element, item);
    });
  }

  static void Raw(pbf_writer& writer, uint32_t number, const Value& value) {
    if (!value.IsNull()) return AddWrapped(writer, number, json::ToJson(value));
    writer.add_bytes(number, "", 0);
  }

  static void IntOrString(pbf_writer& writer, uint32_t number, const Value& value) {
    AddMessage(writer, number, [&value](pbf_writer& message) {
      message.add_int64(1, value.IsString() ? 1 : 0);
      message.add_int32(2, static_cast<int32_t>(value.AsInteger()));
      AddText(message, 3, value.AsString());
    });
  }

  // The zero time is an empty message.
  static void Time(pbf_writer& writer, uint32_t number, const std::string& text, bool micro) {
    const auto time = api::MicroTime::Parse(text);
    if (!time) return writer.add_bytes(number, "", 0);
    AddTimestamp(writer, number, time->microseconds(), micro);
  }
};

std::string InEnvelope(const Value& object, std::string_view raw) {
  std::string body(kEnvelopeMagic);
  pbf_writer envelope(body);
  AddMessage(envelope, 1, [&object](pbf_writer& type_meta) {
    AddText(type_meta, 1, object.Get("apiVersion").AsString());
    AddText(type_meta, 2, object.Get("kind").AsString());
  });
  AddText(envelope, 2, raw);
  AddText(envelope, 3, "");
  AddText(envelope, 4, "");
  return body;
}

// PartialObjectMetadata and its list are not in the facts.
void AddMetadata(pbf_writer& writer, const Value& object, std::string_view type) {
  AddMessage(writer, 1, [&](pbf_writer& metadata) {
    ProtobufEncoder::Object(metadata, object.Get("metadata"), *SchemaSet::BuiltIn().Find(type));
  });
}

std::string PartialObject(const Value& object) {
  std::string raw;
  pbf_writer writer(raw);
  AddMetadata(writer, object, "meta/v1.ObjectMeta");
  return raw;
}

// Lists are not in the facts either: {metadata: ListMeta 1, items: []KIND 2}.
std::string ListMessage(const Value& list, const ObjectType* item_type) {
  std::string raw;
  pbf_writer writer(raw);
  AddMetadata(writer, list, "meta/v1.ListMeta");
  for (const Value& item : list.Get("items").items()) {
    if (!item_type) {
      AddText(writer, 2, PartialObject(item));
      continue;
    }
    AddMessage(writer, 2,
               [&](pbf_writer& message) { ProtobufEncoder::Object(message, item, *item_type); });
  }
  return raw;
}

bool IsMetadata(std::string_view api_version) { return api_version.starts_with("meta.k8s.io/"); }

// JSON schemas have forms in protobuf that the facts do not describe.
const ObjectType* EncodableType(std::string_view api_version, std::string_view kind) {
  if (api_version.starts_with("apiextensions.k8s.io/")) return nullptr;
  const ObjectType* type = TypeOfKind(api_version, kind);
  return type && NumbersOf(*type) ? type : nullptr;
}

// Null if the kind is no list.
const ObjectType* ItemTypeOf(std::string_view api_version, std::string_view kind) {
  constexpr std::string_view kList = "List";
  if (!kind.ends_with(kList)) return nullptr;
  return EncodableType(api_version, kind.substr(0, kind.size() - kList.size()));
}

Status NoProtobuf(std::string_view kind) {
  Status::Details details;
  details.reason = StatusReason::kNotAcceptable;
  details.http_code = 406;
  details.message = "object " + std::string(kind) +
                    " does not implement the protobuf marshalling interface and cannot be encoded "
                    "to a protobuf message";
  return Status(std::move(details));
}

}  // namespace

bool HasProtobufForm(std::string_view api_version, std::string_view kind) {
  return EncodableType(api_version, kind) != nullptr;
}

Result<std::string> ProtobufOf(const Value& object) {
  const std::string& kind = object.Get("kind").AsString();
  const std::string& api_version = object.Get("apiVersion").AsString();
  if (IsMetadata(api_version) && kind == "PartialObjectMetadata") {
    return InEnvelope(object, PartialObject(object));
  }
  if (IsMetadata(api_version) && kind == "PartialObjectMetadataList") {
    return InEnvelope(object, ListMessage(object, nullptr));
  }
  if (const ObjectType* item_type = ItemTypeOf(api_version, kind)) {
    return InEnvelope(object, ListMessage(object, item_type));
  }
  const ObjectType* type = EncodableType(api_version, kind);
  if (!type) return NoProtobuf(kind);
  std::string raw;
  pbf_writer writer(raw);
  ProtobufEncoder::Object(writer, object, *type);
  return InEnvelope(object, raw);
}

std::string ProtobufEvent(std::string_view type, std::string_view object) {
  std::string event;
  pbf_writer writer(event);
  AddText(writer, 1, type);
  AddWrapped(writer, 2, object);
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(event.size() >> shift & 0xff);
  }
  return frame + event;
}

}  // namespace capstan::testing::server
