#pragma once

/// The rules that options must keep.

#include <string>
#include <vector>

#include "config/options.h"
#include "plugins/plugin_catalog.h"

namespace capstan::manager {

struct OptionError {
  std::string flag;
  std::string reason;
};

/// Every rule that is broken, in the order of the settings.
std::vector<OptionError> CheckOptions(const Options& options);
/// Those of the plugins' own settings.
std::vector<OptionError> CheckPluginOptions(const Options& options,
                                            const std::vector<PluginManifest>& plugins);

}  // namespace capstan::manager
