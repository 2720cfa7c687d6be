#include "client/auth/kubeconfig_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <capstan/runtime/format.h>

#include "base/json/json_text.h"

namespace capstan::client {
namespace {

constexpr int kMaxDepth = 100;

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

void AppendPlain(std::string& out, const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) {
    out += "null";
    return;
  }
  if (IsOneOf(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
    out += "true";
    return;
  }
  if (IsOneOf(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
    out += "false";
    return;
  }
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* const end = text.data() + text.size();
  int64_t integer = 0;
  if (const auto [stop, error] = std::from_chars(begin, end, integer);
      error == std::errc() && stop == end) {
    out += std::to_string(integer);
    return;
  }
  double number = 0;
  if (const auto [stop, error] = std::from_chars(begin, end, number);
      error == std::errc() && stop == end && std::isfinite(number)) {
    std::array<char, 32> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), written.ptr);
    return;
  }
  json::AppendString(out, text);
}

Status Append(std::string& out, const YAML::Node& node, int depth);

Status AppendSequence(std::string& out, const YAML::Node& node, int depth) {
  out += '[';
  for (size_t i = 0; i < node.size(); ++i) {
    if (i > 0) out += ',';
    if (Status status = Append(out, node[i], depth + 1); !status.ok()) return status;
  }
  out += ']';
  return Status::Ok();
}

Status AppendMap(std::string& out, const YAML::Node& node, int depth) {
  json::ObjectWriter object(out);
  for (const auto& member : node) {
    if (!member.first.IsScalar()) return Status::InvalidArgument("a key is no string");
    object.Key(member.first.Scalar());
    if (Status status = Append(out, member.second, depth + 1); !status.ok()) return status;
  }
  object.End();
  return Status::Ok();
}

Status Append(std::string& out, const YAML::Node& node, int depth) {
  // Anchors can make a value that contains itself.
  if (depth > kMaxDepth) return Status::InvalidArgument("nested too deeply");
  switch (node.Type()) {
    case YAML::NodeType::Sequence:
      return AppendSequence(out, node, depth);
    case YAML::NodeType::Map:
      return AppendMap(out, node, depth);
    case YAML::NodeType::Scalar:
      if (node.Tag() == "?") {
        AppendPlain(out, node.Scalar());
      } else {
        json::AppendString(out, node.Scalar());
      }
      return Status::Ok();
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      out += "null";
      return Status::Ok();
  }
  return Status::Ok();
}

}  // namespace

Result<std::string> YamlToJson(const YAML::Node& node) {
  std::string json;
  if (Status status = Append(json, node, 0); !status.ok()) return status;
  return json;
}

}  // namespace capstan::client
