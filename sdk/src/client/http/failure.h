#pragma once

/// Errors below the API: sockets, programs, files.

#include <string>
#include <system_error>
#include <utility>

#include <capstan/runtime/status.h>

namespace capstan {

inline Status TransportError(std::string reason) {
  return {StatusReason::kTransport, std::move(reason)};
}

/// The text of an errno.
inline std::string ErrorText(int error) { return std::generic_category().message(error); }

}  // namespace capstan
