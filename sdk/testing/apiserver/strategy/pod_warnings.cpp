#include "apiserver/strategy/pod_warnings.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"

namespace capstan::testing::server {
namespace {

// A response cannot hold more. Conflicts between ports can be quadratic in number.
constexpr size_t kMostWarnings = 5000;

struct Deprecated {
  std::string_view key;
  std::string_view text;
};

constexpr std::array<Deprecated, 5> kNodeLabels = {{
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
}};

constexpr std::array<Deprecated, 3> kAnnotations = {{
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
}};

std::string_view TextOf(const Deprecated* begin, const Deprecated* end, std::string_view key) {
  const Deprecated* const found =
      std::find_if(begin, end, [key](const Deprecated& one) { return one.key == key; });
  return found == end ? std::string_view() : found->text;
}

void AddDeprecated(const json::Value& labels, const Deprecated* begin, const Deprecated* end,
                   const FieldPath& path, std::vector<std::string>& warnings) {
  for (const json::Member& label : labels.members()) {
    const std::string_view text = TextOf(begin, end, label.key);
    if (!text.empty()) warnings.push_back(path.Key(label.key).Text() + ": " + std::string(text));
  }
}

// Adds warnings for repeated values of `field`: addresses of host aliases, names of secrets.
void AddRepeated(const json::Value& list, std::string_view field, const FieldPath& path,
                 std::vector<std::string>& warnings) {
  const auto& items = list.items();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string& value = items[i].Get(field).AsString();
    if (seen.insert(value).second) continue;
    const FieldPath at = path.Index(i);
    warnings.push_back(at.At(field) + ": duplicate " + std::string(field) + " " + Quoted(value));
  }
}

void AddFractions(const json::Value& resources, const FieldPath& path,
                  std::vector<std::string>& warnings) {
  for (const std::string_view name : {"memory", "ephemeral-storage"}) {
    for (const std::string_view list : {"limits", "requests"}) {
      const json::Value* quantity = resources.Get(list).Find(name);
      if (!quantity || IsWholeQuantity(quantity->AsString())) continue;
      const FieldPath at = path.Child(list);
      warnings.push_back(at.Key(name).Text() + ": fractional byte value " +
                         Quoted(quantity->AsString()) + " is invalid, must be an integer");
    }
  }
}

void AddHiddenVariables(const json::Value& variables, const FieldPath& path,
                        std::vector<std::string>& warnings) {
  const auto& all = variables.items();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& name = all[i].Get("name").AsString();
    if (seen.insert(name).second) continue;
    // A value that refers to the earlier one is intended.
    const std::string reference = "$(" + name + ")";
    const std::string& value = all[i].Get("value").AsString();
    if (all[i].Get("valueFrom").IsNull() && value != reference &&
        value.find(reference) != std::string::npos) {
      continue;
    }
    warnings.push_back(path.Index(i).Text() + ": hides previous definition of " + Quoted(name) +
                       ", which may be dropped when using apply");
  }
}

struct PortPlace {
  const json::Value* port;
  std::string path;
};

// `earlier` are the ports with the same number and protocol.
void AddPort(const PortPlace& place, const std::vector<PortPlace>& earlier,
             std::vector<std::string>& warnings) {
  const json::Value& port = *place.port;
  const int64_t host_port = port.Get("hostPort").AsInteger();
  const std::string& host = port.Get("hostIP").AsString();
  for (const PortPlace& other : earlier) {
    const int64_t other_port = other.port->Get("hostPort").AsInteger();
    const std::string& other_host = other.port->Get("hostIP").AsString();
    std::string_view kind;
    if (host == other_host && host_port == other_port) {
      kind = "duplicate";
    } else if (host_port == 0 || other_port == 0) {
      kind = "overlapping";
    } else if (host_port == other_port && host.empty() != other_host.empty()) {
      kind = "dangerously ambiguous";
    } else {
      continue;
    }
    warnings.push_back(place.path + ": " + std::string(kind) + " port definition with " +
                       other.path);
  }
}

void AddPorts(const std::vector<PortPlace>& ports, std::vector<std::string>& warnings) {
  // Ports that may conflict, by number and protocol.
  std::map<std::pair<int64_t, std::string_view>, std::vector<PortPlace>> earlier;
  for (const PortPlace& port : ports) {
    if (warnings.size() >= kMostWarnings) break;
    std::vector<PortPlace>& others = earlier[{port.port->Get("containerPort").AsInteger(),
                                              port.port->Get("protocol").AsString()}];
    AddPort(port, others, warnings);
    others.push_back(port);
  }
  std::map<std::string_view, std::string_view> first;  // the path of the first port with each name
  for (const PortPlace& port : ports) {
    const std::string& name = port.port->Get("name").AsString();
    if (name.empty()) continue;
    const auto [place, is_new] = first.emplace(name, port.path);
    if (is_new) continue;
    const std::string other(place->second);
    std::string warning = port.path + ": duplicate port name " + Quoted(name) + " with " + other;
    warning += ", services and probes that select ports by name will use ";
    warning += other;
    warnings.push_back(std::move(warning));
  }
}

void AddContainers(const json::Value& spec, const FieldPath& path,
                   std::vector<std::string>& warnings) {
  std::vector<PortPlace> ports;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const FieldPath at = path.Child(list);
    const auto& containers = spec.Get(list).items();
    for (size_t i = 0; i < containers.size(); ++i) {
      const FieldPath container = at.Index(i);
      AddFractions(containers[i].Get("resources"), container.Child("resources"), warnings);
      AddHiddenVariables(containers[i].Get("env"), container.Child("env"), warnings);
      const auto& own = containers[i].Get("ports").items();
      if (own.empty()) continue;
      for (size_t j = 0; j < own.size(); ++j) ports.push_back({&own[j], container.At("ports", j)});
    }
  }
  if (ports.size() > 1) AddPorts(ports, warnings);
}

}  // namespace

void AddPodWarnings(const json::Value& object, std::string_view path,
                    std::vector<std::string>& warnings) {
  const FieldPath root(path);
  const FieldPath spec_path = root.Child("spec");
  const json::Value& spec = object.Get("spec");
  AddDeprecated(spec.Get("nodeSelector"), kNodeLabels.begin(), kNodeLabels.end(),
                spec_path.Child("nodeSelector"), warnings);
  const FieldPath metadata = root.Child("metadata");
  AddDeprecated(object.Get("metadata", "annotations"), kAnnotations.begin(), kAnnotations.end(),
                metadata.Child("annotations"), warnings);
  AddRepeated(spec.Get("hostAliases"), "ip", spec_path.Child("hostAliases"), warnings);
  AddRepeated(spec.Get("imagePullSecrets"), "name", spec_path.Child("imagePullSecrets"), warnings);
  AddContainers(spec, spec_path, warnings);
  if (spec.Get("terminationGracePeriodSeconds").AsInteger() < 0) {
    warnings.push_back(spec_path.At("terminationGracePeriodSeconds") +
                       ": must be >= 0; negative values are invalid and will be treated as 1");
  }
}

void AddHostNameWarning(const json::Value& object, std::string_view begin,
                        std::vector<std::string>& warnings) {
  const Faults faults = FaultsOfDnsLabel(object.Get("metadata", "name").AsString());
  if (faults.empty()) return;
  std::string list;
  for (const std::string& fault : faults) {
    if (!list.empty()) list += ' ';
    list += fault;
  }
  warnings.push_back("metadata.name: this is used in " + std::string(begin) +
                     ", which can result in surprising behavior; a DNS label is recommended: [" +
                     list + "]");
}

}  // namespace capstan::testing::server
