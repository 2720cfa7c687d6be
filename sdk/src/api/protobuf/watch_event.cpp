#include "api/protobuf/watch_event.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/protobuf/envelope.h"
#include "api/protobuf/object.h"
#include "api/protobuf/scalars.h"
#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {

// The object of a BOOKMARK event. Only its metadata has values.
struct Bookmark {
  api::ObjectMeta metadata;
};

}  // namespace capstan::protobuf

CAPSTAN_DECLARE_TYPE(capstan::protobuf::Bookmark)
CAPSTAN_DEFINE_TYPE(capstan::protobuf::Bookmark, CAPSTAN_FIELD(metadata, 1))

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
  if (Status error = ErrorOf(reader); !error.ok()) status = std::move(error);
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
  if (status.ok()) status = ErrorOf(reader);
  if (!status.ok()) return status.WithContext("a watch event");
  return event;
}

void ReadBookmark(std::string_view bytes, WatchFrame& frame) {
  const Result<Envelope> envelope = OpenEnvelope(bytes);
  Bookmark bookmark;
  frame.malformed = envelope ? DecodeMessage(DescriptorOf<Bookmark>(), envelope->raw, &bookmark)
                             : envelope.status();
  frame.resource_version = bookmark.metadata.resourceVersion;
  frame.initial_events_end = bookmark.metadata.annotations.Get(kInitialEventsEnd) == "true";
}

void ReadObject(const TypeDescriptor& type, std::string_view bytes, const FieldSet& fields,
                WatchFrame& frame) {
  std::shared_ptr<void> object = NewObject(type);
  frame.malformed = DecodeObject(type, bytes, object.get(), fields);
  if (frame.malformed.ok()) {
    frame.resource_version = MetadataOf(type, object.get()).resourceVersion;
    frame.object = std::move(object);
    return;
  }
  ObjectIdentity identity = IdentityOf(bytes);
  frame.resource_version = std::move(identity.resource_version);
  frame.name = std::move(identity.name);
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
  switch (decoded.type) {
    case WatchFrame::Type::kError:
      decoded.error = *event->object;
      break;
    case WatchFrame::Type::kBookmark:
      ReadBookmark(*event->object, decoded);
      break;
    case WatchFrame::Type::kAdded:
    case WatchFrame::Type::kModified:
    case WatchFrame::Type::kDeleted:
      ReadObject(type, *event->object, fields, decoded);
      break;
  }
  return decoded;
}

}  // namespace capstan::protobuf
