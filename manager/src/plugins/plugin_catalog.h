#pragma once

/// The plugins in a directory, described by their ELF notes. No plugin code runs.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::manager {

/// A kind that a plugin explains (capstan/plugin/descriptor.h).
struct ExplainedKindName {
  std::string kind;        ///< "Deployment"
  std::string resource;    ///< "deployments.apps"
  std::string short_name;  ///< "" = none
};

/// The description of a plugin from its note.
struct PluginManifest {
  std::filesystem::path file;  ///< absolute
  std::string name;
  std::vector<std::string> aliases;
  std::string version;
  std::string concurrent_syncs_flag;  ///< "" = none
  int concurrent_syncs = 1;           ///< default of that flag
  bool off_by_default = false;
  std::vector<ExplainedKindName> explains = {};
};

struct PluginCatalog {
  std::vector<PluginManifest> plugins;  ///< sorted by file name
  /// Shared objects that are not plugins. They are ignored.
  std::vector<std::filesystem::path> others;
};

/// Reads the notes of all *.so files in `directory`. The error lists every defect of every file, so
/// that an operator can fix them all at once. One defective plugin is an error, since the manager
/// would otherwise run without that controller unnoticed.
Result<PluginCatalog> ReadPluginCatalog(const std::filesystem::path& directory);

/// Returns `../lib/capstan/plugins`, relative to the running executable.
std::filesystem::path DefaultPluginDirectory();

}  // namespace capstan::manager
