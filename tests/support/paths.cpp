#include "support/paths.h"

namespace capstan::tests {

std::filesystem::path RepositoryFolder() { return CAPSTAN_REPOSITORY_FOLDER; }

std::filesystem::path TestFolder() { return RepositoryFolder() / "tests"; }

std::filesystem::path BuildFolder() { return CAPSTAN_BUILD_FOLDER; }

std::string PluginFolder() { return BuildFolder() / "lib/capstan/plugins"; }

std::string BadPluginFolder() { return BuildFolder() / "tests/bad_plugins"; }

std::string ManagerProgram() { return BuildFolder() / "bin/capstan-controller-manager"; }

std::string PlaygroundProgram() { return BuildFolder() / "bin/capstan-playground"; }

std::string OperatorProgram() { return BuildFolder() / "bin/capstan"; }

}  // namespace capstan::tests
