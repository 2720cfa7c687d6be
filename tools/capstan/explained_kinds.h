#pragma once

/// The kinds that the plugins of a folder explain.

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

  /// From the plugins' notes; none of their code runs.
  static Result<ExplainedKinds> Read(const std::filesystem::path& folder);

  /// The kind that `word` means, as kubectl takes it: "deployment", "deployments" or "deploy", with
  /// the group behind it (".apps") or without. InvalidArgument names the kinds that there are.
  Result<Kind> Find(std::string_view word) const;

 private:
  std::filesystem::path folder_;
  std::vector<Kind> kinds_;
};

/// Loads the plugin and has it explain an object from what the API server shows.
Result<Explanation> ExplainFromApi(const ExplainedKinds::Kind& kind, const Client& client,
                                   const NamespacedName& name, WallTime now);

}  // namespace capstan::tool
