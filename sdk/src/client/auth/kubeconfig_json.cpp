#include "client/auth/kubeconfig_json.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/json/json_text.h"
#include "base/yaml/plain_scalar.h"

namespace capstan::client {
namespace {

void AppendPlain(std::string& out, std::string_view text) {
  const auto append = [&out](auto value) {
    using Value = decltype(value);
    if constexpr (std::is_same_v<Value, bool>) {
      out += value ? "true" : "false";
    } else if constexpr (std::is_same_v<Value, std::string_view>) {
      json::AppendString(out, value);
    } else {
      std::array<char, 32> digits;
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
      out.append(digits.data(), end);
    }
  };
  std::visit(append, yaml::ReadPlainScalar(text));
}

Status Append(std::string& out, const yaml::Node& node);

Status AppendList(std::string& out, const yaml::Node& list) {
  out += '[';
  for (const yaml::Node& item : list.items) {
    if (&item != &list.items.front()) out += ',';
    if (Status status = Append(out, item); !status.ok()) return status;
  }
  out += ']';
  return Status::Ok();
}

Status AppendMap(std::string& out, const yaml::Node& map) {
  json::ObjectWriter object(out);
  for (size_t i = 0; i < map.keys.size(); ++i) {
    if (!map.keys[i].IsScalar()) return Status::InvalidArgument("a key is not a string");
    object.Key(map.keys[i].text);
    if (Status status = Append(out, map.items[i]); !status.ok()) return status;
  }
  object.End();
  return Status::Ok();
}

Status Append(std::string& out, const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::kNull:
      out += "null";
      return Status::Ok();
    case yaml::Node::Kind::kList:
      return AppendList(out, node);
    case yaml::Node::Kind::kMap:
      return AppendMap(out, node);
    case yaml::Node::Kind::kScalar:
      break;
  }
  if (node.plain) {
    AppendPlain(out, node.text);
  } else {
    json::AppendString(out, node.text);
  }
  return Status::Ok();
}

}  // namespace

Result<std::string> YamlToJson(const yaml::Node& node) {
  std::string json;
  if (Status status = Append(json, node); !status.ok()) return status;
  return json;
}

}  // namespace capstan::client
