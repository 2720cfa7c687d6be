#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::text {

/// Joins the parts with `separator`: "a,b".
std::string Joined(const std::vector<std::string>& parts, std::string_view separator = ",");

}  // namespace capstan::text
