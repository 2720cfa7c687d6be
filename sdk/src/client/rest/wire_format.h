#pragma once

/// The encodings in which an API server sends objects, and their negotiation. A server that cannot
/// send protobuf, or not for a resource (custom resources, aggregated servers), sends JSON.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/api/descriptor.h>
#include <capstan/api/field_set.h>

namespace capstan {

enum class WireFormat : uint8_t { kJson, kProtobuf };

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

/// The Accept header of a request whose response is decoded as `type` with `fields`: protobuf first
/// where `type` can be decoded from it and `allow_protobuf` is set. For a type with metadata only,
/// it asks for the kind `partial`, and then for whole objects.
std::string AcceptFor(const TypeDescriptor& type, const FieldSet& fields, std::string_view partial,
                      bool allow_protobuf);

/// The format that a Content-Type header names. Objects, unlike lists and watches, also name it
/// themselves (protobuf::kMagic).
WireFormat FormatOf(std::string_view content_type);

}  // namespace capstan
