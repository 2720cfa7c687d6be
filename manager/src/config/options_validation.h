#pragma once

/// Validation of options.

#include <string>
#include <vector>

#include "config/options.h"
#include "plugins/plugin_catalog.h"

namespace capstan::manager {

struct OptionError {
  std::string flag;
  std::string reason;
};

/// Returns every violated rule, in the order of the settings.
std::vector<OptionError> CheckOptions(const Options& options);
/// Returns the violated rules of the plugins' settings.
std::vector<OptionError> CheckPluginOptions(const Options& options,
                                            const std::vector<PluginManifest>& plugins);

}  // namespace capstan::manager
