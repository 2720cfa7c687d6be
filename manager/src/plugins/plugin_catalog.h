#pragma once

/// The plugins that a directory holds, known from their notes alone: no code of theirs has run.

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

/// What a plugin says about itself in its note.
struct PluginManifest {
  std::filesystem::path file;  ///< absolute
  std::string name;
  std::vector<std::string> aliases;
  std::string version;
  std::string concurrent_syncs_flag;  ///< "" = none
  int concurrent_syncs = 1;           ///< the flag's default
  bool off_by_default = false;
  std::vector<ExplainedKindName> explains = {};
};

struct PluginCatalog {
  std::vector<PluginManifest> plugins;  ///< by file name
  /// Shared objects that are no plugins. They are left alone.
  std::vector<std::filesystem::path> others;
};

/// Reads the notes of all *.so in `directory`. Every defect of every file is part of the error, so
/// that an operator mends them in one go; one defective plugin is enough to refuse to start, as the
/// controller that is missing would be missed later.
Result<PluginCatalog> ReadPluginCatalog(const std::filesystem::path& directory);

/// `../lib/capstan/plugins`, seen from the running executable.
std::filesystem::path DefaultPluginDirectory();

}  // namespace capstan::manager
