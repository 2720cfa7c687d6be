#pragma once

#include <string>
#include <vector>

namespace capstan::playground {

/// Runs the program. `arguments` do not include the program name. Returns the exit code.
int Main(const std::vector<std::string>& arguments);

}  // namespace capstan::playground
