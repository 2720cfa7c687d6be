#pragma once

/// `--controllers`: selects which known controllers run. The rules are those of
/// kube-controller-manager.

#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "plugins/plugin_catalog.h"

namespace capstan::manager {

/// InvalidArgument if an entry names no known controller or alias. The error lists the known ones.
Status ValidateSelection(const std::vector<std::string>& controllers,
                         const std::vector<PluginManifest>& known);

/// Whether `plugin` runs. The first entry that names it decides, with or without '-'. Without such
/// an entry it runs if there is a '*' and the plugin is not off by default.
bool IsSelected(const PluginManifest& plugin, const std::vector<std::string>& controllers);

/// Describes the known controllers for --help.
std::string SelectionHelp(const std::vector<PluginManifest>& known);

}  // namespace capstan::manager
