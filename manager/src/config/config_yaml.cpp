#include "config/config_yaml.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>
#include <variant>

#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"

namespace capstan::manager {
namespace {

constexpr size_t kMaxYamlSize = 1 << 20;
constexpr size_t kMaxYamlNodes = 10'000;
constexpr size_t kMaxYamlDepth = 32;

bool IsNullWord(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool IsBoolWord(std::string_view text) {
  for (const char* word : {"true", "True", "TRUE", "false", "False", "FALSE", "yes", "Yes", "YES",
                           "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"}) {
    if (text == word) return true;
  }
  return false;
}

bool IsNumberWord(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text == ".inf" || text == ".nan" || text == ".Inf" || text == ".NaN" || text == ".INF") {
    return true;
  }
  if (text.starts_with("0x") || text.starts_with("0o")) return true;
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (stop != text.data() + text.size() || text.empty()) return false;
  return (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
}

std::string ErrorText(const yaml::Error& error) {
  switch (error.kind) {
    case yaml::Error::Kind::kTag:
      return Format("tags such as {} are not supported", error.text);
    case yaml::Error::Kind::kSelfReference:
      return "the anchor contains itself";
    case yaml::Error::Kind::kTooManyNodes:
      return "too large for a configuration";
    case yaml::Error::Kind::kTooDeep:
      return "nested too deeply";
    case yaml::Error::Kind::kNoDocument:
      return "is empty";
    case yaml::Error::Kind::kManyDocuments:
      return "there is more than one document";
    case yaml::Error::Kind::kSyntax:
      break;
  }
  return "is not YAML: " + error.text;
}

}  // namespace

std::string_view KindName(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::kNull:
      return "nothing";
    case yaml::Node::Kind::kList:
      return "a list";
    case yaml::Node::Kind::kMap:
      return "a map";
    case yaml::Node::Kind::kScalar:
      break;
  }
  if (!node.plain) return "text in quotes";
  if (IsBoolWord(node.text)) return "true or false";
  return IsNumberWord(node.text) ? "a number" : "text";
}

bool IsPlainWord(const yaml::Node& node) {
  return node.IsScalar() && node.plain && NeedsQuotes(node.text);
}

bool IsText(const yaml::Node& node) { return node.IsScalar() && !IsPlainWord(node); }

bool NeedsQuotes(std::string_view text) {
  return IsNullWord(text) || IsBoolWord(text) || IsNumberWord(text);
}

Result<yaml::Node> ParseYaml(const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    return Status::InvalidArgument("1:1: is not YAML: it contains a NUL byte");
  }
  auto parsed = yaml::Parse(
      text, {.max_nodes = kMaxYamlNodes, .max_depth = kMaxYamlDepth, .accepts_tags = false});
  if (auto* const node = std::get_if<yaml::Node>(&parsed)) return std::move(*node);
  const auto& error = std::get<yaml::Error>(parsed);
  return Status::InvalidArgument(
      Format("{}:{}: {}", std::max(error.line, 1), std::max(error.column, 1), ErrorText(error)));
}

Result<std::string> ReadSmallFile(const std::string& path) {
  auto text = io::ReadFileOrReason(path, kMaxYamlSize);
  if (!text) return text.status().WithContext(path);
  return text;
}

}  // namespace capstan::manager
