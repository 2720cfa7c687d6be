#pragma once

/// Parsing of YAML files written by users, with errors that name the position.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "base/yaml/yaml_tree.h"

namespace capstan::manager {

/// Describes the type of `node` in error messages: "a number", "true or false", "text", "a list".
std::string_view KindName(const yaml::Node& node);
/// Whether YAML parsers resolve `node` to a bool, a number or null. Such a node is a plain scalar.
bool IsPlainWord(const yaml::Node& node);
/// Whether `node` is a scalar that can only be text.
bool IsText(const yaml::Node& node);
/// Whether a scalar with this text needs quotes to be read as text.
bool NeedsQuotes(std::string_view text);

/// Parses exactly one document of limited size and depth. Errors start with "line:column: ".
Result<yaml::Node> ParseYaml(const std::string& text);
/// Reads a whole file. A large file is an error.
Result<std::string> ReadSmallFile(const std::string& path);

}  // namespace capstan::manager
