#pragma once

#include <string>
#include <vector>

namespace capstan::manager {

/// The program: `arguments` without the program's name; gives the exit code.
int Main(const std::vector<std::string>& arguments);

}  // namespace capstan::manager
