#pragma once

// The locations of the sources and the build outputs on this machine. Only paths.cpp depends on
// them, so that no other object file depends on the folder in which it was compiled.
//
// Threads: all functions may be called from any thread, also before main().

#include <filesystem>
#include <string>

namespace capstan::tests {

/// The root folder of the repository.
std::filesystem::path RepositoryFolder();

/// The folder tests/ of the repository.
std::filesystem::path TestFolder();

/// The build folder of the preset, e.g. build/release.
std::filesystem::path BuildFolder();

/// The folder of the built plugins, and the folder of the broken ones.
std::string PluginFolder();
std::string BadPluginFolder();

/// The built programs.
std::string ManagerProgram();
std::string PlaygroundProgram();
std::string OperatorProgram();

}  // namespace capstan::tests
