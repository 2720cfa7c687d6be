#pragma once

// What this plugin reads of the pods in the cache. The explainer reads more of some, from the
// server.

#include <string_view>

namespace capstan::deployment {

inline constexpr std::string_view kPodFields[] = {"status.phase"};

}  // namespace capstan::deployment
