#pragma once

#include <string_view>

namespace capstan::testing {

/// Whether `text` matches `pattern`. '*' in the pattern matches any text.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace capstan::testing
