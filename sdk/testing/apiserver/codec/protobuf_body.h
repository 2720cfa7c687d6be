#pragma once

// Objects in protobuf, as typed clients of Go send them.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding

#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// The same object as JSON. Nothing when it is of a kind that has no protobuf form here. Errors:
// BadRequest.
Result<std::optional<std::string>> JsonOfProtobuf(std::string_view body);

}  // namespace capstan::testing::server
