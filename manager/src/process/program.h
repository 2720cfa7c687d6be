#pragma once

#include <string>
#include <vector>

namespace capstan::manager {

/// Runs the program and returns the exit code. `arguments` does not include the program's name. It
/// handles the signals of the process, so main() must call it first.
int Main(const std::vector<std::string>& arguments);

}  // namespace capstan::manager
