#pragma once

#include <string>
#include <vector>

namespace capstan::manager {

/// The program: `arguments` without the program's name; gives the exit code. It handles the signals
/// of the process, so it is called first in main().
int Main(const std::vector<std::string>& arguments);

}  // namespace capstan::manager
