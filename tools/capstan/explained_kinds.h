#pragma once

/// The kinds that the plugins in a directory can explain.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/controller/explainer.h>
#include <capstan/runtime/status.h>

#include "plugins/plugin_catalog.h"

namespace capstan::tool {

class ExplainedKinds {
 public:
  struct Kind {
    manager::PluginManifest plugin;
    size_t index = 0;  ///< in plugin.explains
    const manager::ExplainedKindName& names() const { return plugin.explains[index]; }
  };

  /// Reads the plugins' notes. No plugin code runs.
  static Result<ExplainedKinds> Read(const std::filesystem::path& folder);

  /// Returns the kind that `word` names, in kubectl's forms: "deployment", "deployments" or
  /// "deploy", with or without the group (".apps"). The InvalidArgument error lists the known
  /// kinds.
  Result<Kind> Find(std::string_view word) const;

 private:
  std::filesystem::path folder_;
  std::vector<Kind> kinds_;
};

/// Loads the plugin and explains an object from the state in the API server.
Result<Explanation> ExplainFromApi(const ExplainedKinds::Kind& kind, const Client& client,
                                   const NamespacedName& name, WallTime now);

}  // namespace capstan::tool
