#pragma once

// Ages as kubectl shows them: "5s", "3m20s", "47h", "2y31d".

#include <string>

#include <capstan/runtime/clock.h>

#include "json/value.h"

namespace capstan::testing::server {

// "<invalid>" for what lies more than a moment in the future.
std::string HumanDuration(Duration duration);
// How long ago the RFC 3339 `time` was; "<unknown>" when it is absent or none.
std::string AgeOf(const json::Value& time, WallTime now);

}  // namespace capstan::testing::server
