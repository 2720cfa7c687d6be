#pragma once

// Decodes one frame of a watch stream: {"type": ..., "object": {...}}.

#include <cstdint>
#include <string>

#include <capstan/api/field_set.h>
#include <capstan/api/meta_v1.h>
#include <capstan/api/object.h>
#include <capstan/runtime/status.h>

namespace capstan {

struct WatchFrame {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kError;
  std::string resource_version;  // of the object or bookmark; read even of a malformed object
  ObjectPtr object;              // kAdded, kModified, kDeleted; null when `malformed` is not OK
  NamespacedName name;           // set when the object is malformed, as far as it could be read
  Status malformed;              // why `object` does not fit the type; the stream may go on
  std::string error;             // kError: the Status object as JSON
};

// `json` is used as scratch space: move it in. Torn or broken JSON, or an unknown event type, is a
// Malformed error: nothing after it in the stream can be trusted.
Result<WatchFrame> DecodeWatchFrame(const TypeDescriptor& type, std::string json,
                                    const FieldSet& fields = {});

}  // namespace capstan
