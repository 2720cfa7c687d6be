#pragma once

#include <string>
#include <vector>

namespace capstan::tool {

/// The program: `arguments` without the program's name; gives the exit code, 1 for an error.
int Main(const std::vector<std::string>& arguments);

}  // namespace capstan::tool
