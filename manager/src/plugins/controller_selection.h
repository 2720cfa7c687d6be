#pragma once

/// `--controllers`: which of the known controllers run. The rules are kube-controller-manager's.

#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "plugins/plugin_catalog.h"

namespace capstan::manager {

/// InvalidArgument when an entry names no known controller or alias; lists the known ones.
Status ValidateSelection(const std::vector<std::string>& controllers,
                         const std::vector<PluginManifest>& known);

/// Whether `plugin` runs. The first entry that names it, with or without '-', counts; without one
/// it runs when there is a '*' and it is not off by default.
bool IsSelected(const PluginManifest& plugin, const std::vector<std::string>& controllers);

/// The known controllers, for --help.
std::string SelectionHelp(const std::vector<PluginManifest>& known);

}  // namespace capstan::manager
