#include "api/protobuf/watch_event.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/protobuf/object.h"
#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {
namespace {

struct RawEvent {
  std::string_view type;
  std::optional<std::string_view> object;  // with its envelope
};

// The object of a runtime.RawExtension.
std::string_view ReadExtension(std::string_view message, Status& status) {
  std::string_view raw;
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 1) raw = reader.Bytes();
  }
  if (!reader.error().empty()) status = Status::Malformed(std::string(reader.error()));
  return raw;
}

Result<RawEvent> ReadEvent(std::string_view frame) {
  RawEvent event;
  Status status;
  WireReader reader(frame);
  while (status.ok() && reader.Next()) {
    if (reader.number() == 1) event.type = reader.Bytes();
    if (reader.number() == 2) event.object = ReadExtension(reader.Bytes(), status);
  }
  if (status.ok() && !reader.error().empty()) {
    status = Status::Malformed(std::string(reader.error()));
  }
  if (!status.ok()) return status.WithContext("a watch event");
  return event;
}

}  // namespace

Result<WatchFrame> DecodeWatchEvent(const TypeDescriptor& type, std::string_view frame,
                                    const FieldSet& fields) {
  const Result<RawEvent> event = ReadEvent(frame);
  if (!event) return event.status();
  if (event->type.empty()) return Status::Malformed("a watch event without a type");
  const std::optional<WatchFrame::Type> named = WatchTypeNamed(event->type);
  if (!named) return Status::Malformed("unknown type of watch event");
  if (!event->object) return Status::Malformed("a watch event without an object");
  WatchFrame decoded;
  decoded.type = *named;
  if (decoded.type == WatchFrame::Type::kError) {
    decoded.error = *event->object;
    return decoded;
  }
  std::shared_ptr<void> object = NewObject(type);
  decoded.malformed = DecodeObject(type, *event->object, object.get(), fields);
  if (!decoded.malformed.ok()) {
    ObjectIdentity identity = IdentityOf(*event->object);
    decoded.resource_version = std::move(identity.resource_version);
    decoded.name = std::move(identity.name);
    return decoded;
  }
  decoded.resource_version = MetadataOf(type, object.get()).resourceVersion;
  if (decoded.type != WatchFrame::Type::kBookmark) decoded.object = std::move(object);
  return decoded;
}

}  // namespace capstan::protobuf
