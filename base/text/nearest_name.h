#pragma once

/// Suggestions for misspelled names.

#include <string>
#include <string_view>
#include <vector>

namespace capstan::text {

/// Returns the name closest to `name`, or "" if none is close.
std::string NearestName(std::string_view name, const std::vector<std::string>& names);

}  // namespace capstan::text
