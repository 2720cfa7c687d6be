#include "api/protobuf/envelope.h"

#include <string>

#include "api/protobuf/scalars.h"
#include "base/json/json_text.h"
#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {

Status ReadTypeMeta(std::string_view message, Envelope& envelope) {
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 1) envelope.api_version = reader.Bytes();
    if (reader.number() == 2) envelope.kind = reader.Bytes();
  }
  if (Status status = ErrorOf(reader); !status.ok()) return status.WithContext("typeMeta");
  const bool valid = json::IsValidUtf8(envelope.api_version) && json::IsValidUtf8(envelope.kind);
  return valid ? Status::Ok() : Status::Malformed("typeMeta: not valid UTF-8");
}

Status CheckContentEncoding(std::string_view encoding) {
  if (encoding.empty()) return Status::Ok();
  return Status::Malformed("contentEncoding: an encoded object cannot be read");
}

Status WithoutMagic() {
  return Status::Malformed("not a protobuf object: it does not start with \"k8s\" and a NUL");
}

Result<Envelope> OpenEnvelope(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return WithoutMagic();
  Envelope envelope;
  Status status;
  WireReader reader(bytes.substr(kMagic.size()));
  while (status.ok() && reader.Next()) {
    if (reader.number() == kTypeMeta) status = ReadTypeMeta(reader.Bytes(), envelope);
    if (reader.number() == kRaw) envelope.raw = reader.Bytes();
    if (reader.number() == kContentEncoding) status = CheckContentEncoding(reader.Bytes());
  }
  if (!status.ok()) return status;
  if (status = ErrorOf(reader); !status.ok()) return status;
  return envelope;
}

}  // namespace capstan::protobuf
