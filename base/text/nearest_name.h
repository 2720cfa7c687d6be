#pragma once

/// The name that somebody may have meant who wrote one that does not exist.

#include <string>
#include <string_view>
#include <vector>

namespace capstan::text {

/// The one of `names` that is nearest to `name`; "" when none is near.
std::string NearestName(std::string_view name, const std::vector<std::string>& names);

}  // namespace capstan::text
