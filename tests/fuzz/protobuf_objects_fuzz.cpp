// Input: what a server sends in protobuf. The first byte says what the rest is: an object, a list
// (fed in pieces) or the event of a watch.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <capstan/api/core_v1.h>
#include <capstan/api/object.h>

#include "api/protobuf/list_reader.h"
#include "api/protobuf/object.h"
#include "api/protobuf/watch_event.h"
#include "fuzz_target.h"
#include "support/protobuf_fields.h"

namespace {

using namespace capstan;

const TypeDescriptor& FuzzedType() { return DescriptorOf<api::core::v1::Pod>(); }

const FieldSet& FuzzedFields() {
  static const FieldSet fields = capstan::testing::ProtobufFieldsOf(FuzzedType());
  return fields;
}

// What was read is the same when it is written as JSON and read again.
void RequireReadable(const void* object) {
  const std::string json = EncodeJson(FuzzedType(), object);
  const auto again = NewObject(FuzzedType());
  fuzz::Require(DecodeJson(FuzzedType(), json, again.get(), FuzzedFields()).ok(),
                "what was read can be written");
  fuzz::Require(EncodeJson(FuzzedType(), again.get()) == json, "it is the same in JSON");
}

void RequireMalformed(const Status& status) {
  fuzz::Require(status.reason() == StatusReason::kMalformed, "a failure is Malformed");
}

void FuzzObject(std::string_view bytes) {
  const auto object = NewObject(FuzzedType());
  const Status status = protobuf::DecodeObject(FuzzedType(), bytes, object.get(), FuzzedFields());
  if (!status.ok()) return RequireMalformed(status);
  RequireReadable(object.get());
}

void FuzzList(std::string_view bytes, size_t piece) {
  const ListSink sink{.on_item = [](const ObjectPtr& item) { RequireReadable(item.get()); },
                      .on_malformed = [](const NamespacedName&,
                                         const Status& status) { RequireMalformed(status); }};
  const auto reader = protobuf::NewListReader(FuzzedType(), sink, FuzzedFields(), 1 << 16);
  while (!bytes.empty()) {
    if (const Status status = reader->Feed(bytes.substr(0, piece)); !status.ok()) {
      return RequireMalformed(status);
    }
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  const auto metadata = reader->Finish();
  if (!metadata) RequireMalformed(metadata.status());
}

void FuzzEvent(std::string_view bytes) {
  const auto frame = protobuf::DecodeWatchEvent(FuzzedType(), bytes, FuzzedFields());
  if (!frame) return RequireMalformed(frame.status());
  if (frame->object) RequireReadable(frame->object.get());
  if (!frame->error.empty()) (void)protobuf::StatusAsJson(frame->error);
}

}  // namespace

CAPSTAN_FUZZ_TARGET(protobuf_objects) {
  if (input.empty()) return;
  const auto kind = static_cast<unsigned char>(input.front());
  const std::string_view bytes = input.substr(1);
  switch (kind % 3) {
    case 0:
      return FuzzObject(bytes);
    case 1:
      return FuzzList(bytes, kind / 3 + 1);
    default:
      return FuzzEvent(bytes);
  }
}
