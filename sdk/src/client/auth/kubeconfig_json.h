#pragma once

#include <string>

#include <capstan/runtime/status.h>

#include "base/yaml/yaml_tree.h"

namespace capstan::client {

/// The JSON text of a YAML value, read as kubectl reads it.
Result<std::string> YamlToJson(const yaml::Node& node);

}  // namespace capstan::client
