#pragma once

// Where the sources and what was built of them lie on this machine. The one file that knows is
// compiled by itself, so that no other object depends on the folder it was compiled in.
//
// Threads: all functions may be called from any thread, and before main() too.

#include <filesystem>
#include <string>

namespace capstan::tests {

/// The repository.
std::filesystem::path RepositoryFolder();

/// The folder tests/ of the repository.
std::filesystem::path TestFolder();

/// The build folder of the preset, e.g. build/release.
std::filesystem::path BuildFolder();

/// The folder of the plugins that were built, and that of the broken ones.
std::string PluginFolder();
std::string BadPluginFolder();

/// The programs that were built.
std::string ManagerProgram();
std::string PlaygroundProgram();
std::string OperatorProgram();

}  // namespace capstan::tests
