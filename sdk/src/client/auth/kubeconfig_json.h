#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include <capstan/runtime/status.h>

namespace capstan::client {

// The JSON text of a YAML value, with YAML 1.1's idea of what is a number, a boolean or null, as
// Kubernetes reads its YAML.
Result<std::string> YamlToJson(const YAML::Node& node);

}  // namespace capstan::client
