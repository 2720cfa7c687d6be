#pragma once

// The fields of cached pods that this plugin reads. The explainer reads more fields of some pods
// from the API server.

#include <string_view>

namespace capstan::deployment {

inline constexpr std::string_view kPodFields[] = {"status.phase"};

}  // namespace capstan::deployment
