#pragma once

#include <string_view>

namespace capstan::testing {

// Whether `text` is `pattern`, in which '*' stands for any text.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace capstan::testing
