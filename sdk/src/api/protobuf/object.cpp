#include "api/protobuf/object.h"

#include <capstan/runtime/format.h>

#include "api/protobuf/envelope.h"

namespace capstan::protobuf {

// meta/v1 Status. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;
};
struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  List<StatusCause> causes;
  int32_t retryAfterSeconds = 0;
};
struct StatusObject {
  std::string kind = "Status";  // in protobuf in the envelope
  std::string apiVersion = "v1";
  std::string status;
  std::string message;
  std::string reason;
  StatusDetails details;
  int32_t code = 0;
};

}  // namespace capstan::protobuf

CAPSTAN_DECLARE_TYPE(capstan::protobuf::StatusCause)
CAPSTAN_DECLARE_TYPE(capstan::protobuf::StatusDetails)
CAPSTAN_DECLARE_TYPE(capstan::protobuf::StatusObject)
CAPSTAN_DEFINE_TYPE(capstan::protobuf::StatusCause, CAPSTAN_FIELD(reason, 1),
                    CAPSTAN_FIELD(message, 2), CAPSTAN_FIELD(field, 3))
CAPSTAN_DEFINE_TYPE(capstan::protobuf::StatusDetails, CAPSTAN_FIELD(name, 1),
                    CAPSTAN_FIELD(group, 2), CAPSTAN_FIELD(kind, 3), CAPSTAN_FIELD(causes, 4),
                    CAPSTAN_FIELD(retryAfterSeconds, 5))
CAPSTAN_DEFINE_TYPE(capstan::protobuf::StatusObject, CAPSTAN_FIELD(kind), CAPSTAN_FIELD(apiVersion),
                    CAPSTAN_FIELD(status, 2), CAPSTAN_FIELD(message, 3), CAPSTAN_FIELD(reason, 4),
                    CAPSTAN_FIELD(details, 5), CAPSTAN_FIELD(code, 6))

namespace capstan::protobuf {
namespace {

constexpr std::string_view kPartialObject = "PartialObjectMetadata";

bool IsKindOf(const ResourceInfo& resource, std::string_view kind) {
  return kind.empty() || kind == resource.kind ||
         (resource.metadata_only && kind == kPartialObject);
}

}  // namespace

Status DecodeObject(const TypeDescriptor& type, std::string_view bytes, void* object,
                    const FieldSet& fields) {
  const Result<Envelope> envelope = OpenEnvelope(bytes);
  if (!envelope) return envelope.status();
  if (!IsKindOf(*type.resource, envelope->kind)) {
    return Status::Malformed(Format("an object of kind \"{}\" instead of a {}",
                                    envelope->kind.substr(0, 64), type.resource->kind));
  }
  return DecodeMessage(type, envelope->raw, object, fields);
}

ObjectIdentity IdentityOf(std::string_view bytes) {
  const Result<Envelope> envelope = OpenEnvelope(bytes);
  return envelope ? IdentityIn(envelope->raw) : ObjectIdentity();
}

std::optional<std::string> StatusAsJson(std::string_view bytes) {
  const Result<Envelope> envelope = OpenEnvelope(bytes);
  if (!envelope || envelope->kind != "Status" || envelope->api_version != "v1") {
    return std::nullopt;
  }
  const TypeDescriptor& type = DescriptorOf<StatusObject>();
  StatusObject status;
  if (!DecodeMessage(type, envelope->raw, &status).ok()) return std::nullopt;
  return EncodeJson(type, &status);
}

}  // namespace capstan::protobuf
