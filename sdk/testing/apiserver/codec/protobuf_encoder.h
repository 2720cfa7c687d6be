#pragma once

/// Encodes objects in protobuf, as Go's typed clients read them.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

/// Whether the objects of a kind have a protobuf form in this server.
bool HasProtobufForm(std::string_view api_version, std::string_view kind);

/// Encodes an object or a list with its envelope. Its apiVersion and kind name its type. Errors:
/// NotAcceptable if the kind has no protobuf form.
Result<std::string> ProtobufOf(const json::Value& object);

/// Encodes an event of a watch, with its length. `object` has its envelope.
std::string ProtobufEvent(std::string_view type, std::string_view object);

}  // namespace capstan::testing::server
