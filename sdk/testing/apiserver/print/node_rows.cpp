// Rows of Nodes.

#include <set>
#include <string>
#include <utility>

#include "apiserver/print/rows.h"
#include "base/text/joined.h"

namespace capstan::testing::server {
namespace {

std::string NodeStatus(const json::Value& node) {
  std::string text = "Unknown";
  for (const json::Value& condition : node.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == "Ready") {
      text = condition.Get("status").AsString() == "True" ? "Ready" : "NotReady";
    }
  }
  return node.Get("spec", "unschedulable").AsBool() ? text + ",SchedulingDisabled" : text;
}

std::string NodeRoles(const json::Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& [key, value] : node.Get("metadata", "labels").members()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.insert(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.IsEmpty()) {
      roles.insert(value.AsString());
    }
  }
  return text::Joined({roles.begin(), roles.end()});
}

json::Value NodeAddress(const json::Value& node, std::string_view type) {
  for (const json::Value& address : node.Get("status", "addresses").items()) {
    if (address.Get("type").AsString() == type) return address.Get("address");
  }
  return "<none>";
}

}  // namespace

TableRow PrintNode(const json::Value& object, WallTime now) {
  const json::Value& info = object.Get("status", "nodeInfo");
  std::string kernel = Or(info.Get("kernelVersion"), "<unknown>").AsString();
  if (const json::Value& architecture = info.Get("architecture"); !architecture.IsEmpty()) {
    kernel += " (" + architecture.AsString() + ")";
  }
  return {{NameOf(object), NodeStatus(object), Or(NodeRoles(object), "<none>"),
           AgeOfObject(object, now), info.Get("kubeletVersion").AsString(),
           NodeAddress(object, "InternalIP"), NodeAddress(object, "ExternalIP"),
           Or(info.Get("osImage"), "<unknown>"), std::move(kernel),
           Or(info.Get("containerRuntimeVersion"), "<unknown>")}};
}

}  // namespace capstan::testing::server
