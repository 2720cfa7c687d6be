#pragma once

/// Decodes protobuf objects, which Go's typed clients send.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding

#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

/// Returns the object as JSON, or nullopt if its kind has no protobuf form in this server. Errors:
/// BadRequest.
Result<std::optional<std::string>> JsonOfProtobuf(std::string_view body);

}  // namespace capstan::testing::server
