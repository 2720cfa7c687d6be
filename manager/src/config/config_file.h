#pragma once

/// The configuration file: `apiVersion: capstan.dev/v1alpha1`, `kind:
/// ControllerManagerConfiguration`, and the settings by their keys.
///
/// Strict: what is unknown, there twice, or of another type than the setting is an error. A key
/// without a value says nothing. Errors name file, line and column, one a line:
/// "/etc/c.yaml:7:5: generic.clientConnection: unknown key \"qsp\"; did you mean qps?".

#include <map>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "config/config_yaml.h"
#include "config/settings.h"

namespace capstan::manager {

constexpr std::string_view kConfigApiVersion = "capstan.dev/v1alpha1";
constexpr std::string_view kConfigKind = "ControllerManagerConfiguration";

struct ConfigFile {
  std::string path;
  yaml::Node root;
};

/// Reads the file, and checks of what kind and version it is.
Result<ConfigFile> ReadConfigFile(const std::string& path);
/// The text at these keys; "" when there is none.
std::string ConfigText(const ConfigFile& file, const std::vector<std::string>& path);

/// Where a setting came from, by its key: "/etc/c.yaml:7:5".
using ConfigPlaces = std::map<std::string, std::string>;

/// Sets what the file says. All that is wrong is told, one a line.
Result<ConfigPlaces> ApplyConfig(const ConfigFile& file, const std::vector<Setting>& settings);

/// What a manifest of --allow-metric-labels-manifest says, as --allow-metric-labels would.
Result<std::vector<std::string>> ReadMetricLabelsManifest(const std::string& path);

}  // namespace capstan::manager
