#pragma once

/// Serialization of the effective options: as a configuration file, and as JSON for /configz.

#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "config/options.h"
#include "plugins/plugin_catalog.h"

namespace capstan::manager {

/// Returns a configuration file with all options. Reading it gives the same options. The default
/// plugin directory is left out, since it depends on the location of the program.
std::string ConfigYaml(const Options& options, const std::vector<PluginManifest>& plugins);

/// Returns the options as a JSON object, {"apiVersion":...}, without passwords. Durations are
/// strings.
std::string ConfigJson(const Options& options, const std::vector<PluginManifest>& plugins);

/// Writes `text` to the file. "-" is an ordinary file name here.
Status WriteTextFile(const std::string& path, const std::string& text);

}  // namespace capstan::manager
