#pragma once

/// Options as they are in effect, written down: as a configuration file, and as JSON for /configz.

#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "config/options.h"
#include "plugins/plugin_catalog.h"

namespace capstan::manager {

/// A configuration file that says all of it; to read it gives the same options. A plugin directory
/// that is the default is left out, as it depends on where the program is.
std::string ConfigYaml(const Options& options, const std::vector<PluginManifest>& plugins);

/// The same as a JSON object, without passwords: durations are texts, {"apiVersion":...}.
std::string ConfigJson(const Options& options, const std::vector<PluginManifest>& plugins);

/// Writes `text` to the file; "-" is not special here.
Status WriteTextFile(const std::string& path, const std::string& text);

}  // namespace capstan::manager
