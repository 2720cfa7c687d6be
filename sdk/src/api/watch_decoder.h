#pragma once

/// Decodes one frame of a watch stream: {"type": ..., "object": {...}}.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/api/field_set.h>
#include <capstan/api/meta_v1.h>
#include <capstan/api/object.h>
#include <capstan/runtime/status.h>

namespace capstan {

struct WatchFrame {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };
  Type type = Type::kError;
  std::string resource_version;  ///< of the object or bookmark; also of a malformed object
  ObjectPtr object;              ///< kAdded, kModified, kDeleted; null when `malformed` is not OK
  NamespacedName name;           ///< what could be read of a malformed object's name
  Status malformed;              ///< why `object` does not fit the type; the stream may continue
  bool initial_events_end = false;  ///< kBookmark: the initial events are complete
  std::string error;                ///< kError: the Status object as JSON or protobuf
};

/// The annotation of the bookmark after the initial events; its value is "true".
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
inline constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

/// The type with this name ("ADDED", ...).
std::optional<WatchFrame::Type> WatchTypeNamed(std::string_view name);

/// `json` is used as scratch space, so move it in. Truncated or broken JSON, or an unknown event
/// type, is a Malformed error: the rest of the stream cannot be trusted.
Result<WatchFrame> DecodeWatchFrame(const TypeDescriptor& type, std::string json,
                                    const FieldSet& fields = {});

}  // namespace capstan
