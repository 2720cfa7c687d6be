#pragma once

/// YAML that people write, and that must be told where it is wrong.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "base/yaml/yaml_tree.h"

namespace capstan::manager {

/// "a number", "true or false", "text", "a list": what `node` is, for people.
std::string_view KindName(const yaml::Node& node);
/// Whether a YAML reader takes `node` for a bool, a number or null: a plain scalar that looks so.
bool IsPlainWord(const yaml::Node& node);
/// Whether `node` is text that nothing else could be.
bool IsText(const yaml::Node& node);
/// Whether a scalar of this text would need quotes to be text.
bool NeedsQuotes(std::string_view text);

/// Reads exactly one document. Its size and depth are bounded. The errors begin with "line:column:
/// ".
Result<yaml::Node> ParseYaml(const std::string& text);
/// The whole of a file that may not be large.
Result<std::string> ReadSmallFile(const std::string& path);

}  // namespace capstan::manager
