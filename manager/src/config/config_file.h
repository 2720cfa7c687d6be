#pragma once

/// The configuration file: `apiVersion: capstan.dev/v1alpha1`, `kind:
/// ControllerManagerConfiguration`, and the settings by their keys.
///
/// Parsing is strict: an unknown key, a duplicate key, or a value of another type than the
/// setting is an error. A key without a value has no effect. Errors name file, line and column, one
/// error per line: "/etc/c.yaml:7:5: generic.clientConnection: unknown key \"qsp\"; did you mean
/// qps?".

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

/// Reads the file and checks its apiVersion and kind.
Result<ConfigFile> ReadConfigFile(const std::string& path);
/// Returns the text at the key path, or "" if there is none.
std::string ConfigText(const ConfigFile& file, const std::vector<std::string>& path);

/// The position of each setting's value in the file, by key: "/etc/c.yaml:7:5".
using ConfigPlaces = std::map<std::string, std::string>;

/// Applies the values in the file to the settings. The error lists all problems, one per line.
Result<ConfigPlaces> ApplyConfig(const ConfigFile& file, const std::vector<Setting>& settings);

/// Reads a manifest for --allow-metric-labels-manifest. Returns entries in the syntax of
/// --allow-metric-labels.
Result<std::vector<std::string>> ReadMetricLabelsManifest(const std::string& path);

}  // namespace capstan::manager
