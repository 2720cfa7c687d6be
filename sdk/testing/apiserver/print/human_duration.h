#pragma once

/// Formats ages as kubectl does: "5s", "3m20s", "47h", "2y31d".

#include <string>

#include <capstan/runtime/clock.h>

#include "json/value.h"

namespace capstan::testing::server {

/// Returns "<invalid>" for a duration below -1 s (a time in the future).
std::string HumanDuration(Duration duration);
/// Returns the age of the RFC 3339 `time`, or "<unknown>" if it is absent or not a time.
std::string AgeOf(const json::Value& time, WallTime now);

}  // namespace capstan::testing::server
