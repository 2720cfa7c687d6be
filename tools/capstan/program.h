#pragma once

#include <string>
#include <vector>

namespace capstan::tool {

/// Runs the program. `arguments` do not include the program name. Returns the exit code, 1 on
/// error.
int Main(const std::vector<std::string>& arguments);

}  // namespace capstan::tool
