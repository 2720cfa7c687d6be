#pragma once

/// Durations in Go's syntax, which all flags of Kubernetes components use: "15s", "1m30s", "500ms",
/// "1.5h". https://pkg.go.dev/time#ParseDuration

#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/clock.h>

namespace capstan::cli {

/// Returns nullopt if `text` is not a duration or is out of range.
std::optional<Duration> ParseGoDuration(std::string_view text);
std::string FormatGoDuration(Duration duration);

}  // namespace capstan::cli
