#pragma once

/// A request that was given up before any part of it was sent: Canceled like a call that its caller
/// stopped, but not ambiguous.

#include <string>
#include <string_view>
#include <utility>

#include <capstan/runtime/status.h>

namespace capstan {

inline constexpr std::string_view kNotSent = "NotSent";  // a cause

inline Status NotSent(std::string message) {
  Status::Details details;
  details.reason = StatusReason::kCanceled;
  details.message = std::move(message);
  details.causes.push_back({.reason = std::string(kNotSent), .message = {}, .field = {}});
  return Status(std::move(details));
}

}  // namespace capstan
