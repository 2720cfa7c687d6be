#include "apiserver/strategy/service_defaults.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/service_balancer.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kAffinitySeconds = 10800;  // three hours
constexpr uint64_t kFirstNodePort = 30000;
constexpr uint64_t kNodePorts = 2768;

// FNV-1a, which is the same on every machine.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return hash ^ (hash >> 32);
}

std::string QualifiedNameOf(const json::Value& service) {
  return service.Get("metadata", "namespace").AsString() + "/" +
         service.Get("metadata", "name").AsString();
}

std::string AddressOf(const json::Value& service) {
  const uint64_t hash = HashOf(QualifiedNameOf(service));
  return "10.96." + std::to_string(1 + hash % 255) + "." + std::to_string(1 + hash / 255 % 254);
}

bool NeedsNodePorts(const json::Value& spec) {
  const std::string& type = spec.Get("type").AsString();
  if (type == "NodePort") return true;
  const json::Value& allocates = spec.Get("allocateLoadBalancerNodePorts");
  return type == "LoadBalancer" && (allocates.IsNull() || allocates.AsBool());
}

void DefaultPorts(json::Value& spec) {
  const auto lacks = [](const json::Value& port) {
    return port.Get("targetPort").IsEmpty() || port.Get("protocol").AsString().empty();
  };
  const auto& ports = spec.Get("ports").items();
  if (std::none_of(ports.begin(), ports.end(), lacks)) return;
  for (json::Value& port : spec.Mutable("ports").MutableItems()) {
    if (port.Get("protocol").AsString().empty()) port.Set("protocol", "TCP");
    if (port.Get("targetPort").IsEmpty()) port.Set("targetPort", port.Get("port").AsInteger());
  }
}

void AllocateNodePorts(json::Value& service) {
  if (!NeedsNodePorts(service.Get("spec"))) return;
  const uint64_t hash = HashOf(QualifiedNameOf(service));
  uint64_t next = 0;
  json::Value& ports = service.Mutable("spec", "ports");
  if (ports.items().empty()) return;
  std::set<int64_t> taken;
  std::map<int64_t, int64_t> chosen;  // ports with the same number share a node port
  for (const json::Value& port : ports.items()) taken.insert(port.Get("nodePort").AsInteger());
  for (json::Value& port : ports.MutableItems()) {
    if (port.Get("nodePort").AsInteger() != 0) continue;
    const auto [choice, is_first] = chosen.emplace(port.Get("port").AsInteger(), 0);
    int64_t& number = choice->second;
    while (is_first && (number == 0 || taken.contains(number)) && next < kNodePorts) {
      number = static_cast<int64_t>(kFirstNodePort + (hash + next++) % kNodePorts);
    }
    taken.insert(number);
    port.Set("nodePort", number);
  }
}

void DefaultIngress(json::Value& service) {
  if (service.Get("status", "loadBalancer", "ingress").items().empty()) return;
  for (json::Value& one :
       service.Mutable("status", "loadBalancer").Mutable("ingress").MutableItems()) {
    if (!one.Get("ip").AsString().empty()) SetIfAbsent(one, "ipMode", "VIP");
  }
}

std::vector<int64_t> NodePortsOf(const json::Value& spec) {
  std::vector<int64_t> numbers;
  for (const json::Value& port : spec.Get("ports").items()) {
    numbers.push_back(port.Get("nodePort").AsInteger());
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// A client that changes only clusterIP also changes clusterIPs.
void FollowFirstAddress(json::Value& spec, const json::Value& old) {
  const json::Value first = spec.Get("clusterIP");
  if (first.AsString() == old.Get("clusterIP").AsString()) return;
  if (spec.Get("clusterIPs").items() != old.Get("clusterIPs").items()) return;
  if (first.AsString().empty()) {
    spec.Erase("clusterIPs");
  } else {
    spec.Set("clusterIPs", json::Value::Array({first}));
  }
}

void KeepNodePorts(json::Value& service, const json::Value& before) {
  if (!NeedsNodePorts(service.Get("spec")) || service.Get("spec", "ports").items().empty()) return;
  const std::vector<int64_t> used = NodePortsOf(service.Get("spec"));
  for (json::Value& port : service.Mutable("spec", "ports").MutableItems()) {
    if (port.Get("nodePort").AsInteger() != 0) continue;
    for (const json::Value& old : before.Get("spec", "ports").items()) {
      const int64_t number = old.Get("nodePort").AsInteger();
      if (number == 0 || old.Get("name").AsString() != port.Get("name").AsString()) continue;
      if (std::binary_search(used.begin(), used.end(), number)) continue;
      port.Set("nodePort", number);
      break;
    }
  }
}

}  // namespace

bool IsHeadless(const json::Value& service) {
  const auto& addresses = service.Get("spec", "clusterIPs").items();
  return addresses.size() == 1 && addresses.front().AsString() == "None";
}

bool IsExternallyAccessible(const json::Value& service) {
  const json::Value& spec = service.Get("spec");
  const std::string& type = spec.Get("type").AsString();
  return type == "LoadBalancer" || type == "NodePort" ||
         (type == "ClusterIP" && !spec.Get("externalIPs").items().empty());
}

void DefaultService(json::Value& service) {
  json::Value& spec = service.Mutable("spec");
  if (spec.Get("sessionAffinity").AsString().empty()) spec.Set("sessionAffinity", "None");
  const std::string affinity = spec.Get("sessionAffinity").AsString();
  if (affinity == "None") {
    spec.Erase("sessionAffinityConfig");
  } else if (affinity == "ClientIP" &&
             spec.Get("sessionAffinityConfig", "clientIP", "timeoutSeconds").IsNull()) {
    spec.Mutable("sessionAffinityConfig", "clientIP", "timeoutSeconds") = kAffinitySeconds;
  }
  if (spec.Get("type").AsString().empty()) spec.Set("type", "ClusterIP");
  DefaultPorts(spec);
  const std::string type = spec.Get("type").AsString();
  if (type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer") {
    SetIfAbsent(spec, "internalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") {
    SetIfAbsent(spec, "allocateLoadBalancerNodePorts", true);
    DefaultIngress(service);
  }
  if (IsExternallyAccessible(service)) {
    SetIfAbsent(service.Mutable("spec"), "externalTrafficPolicy", "Cluster");
  }
}

void AllocateAddresses(json::Value& service) {
  if (service.Get("spec", "type").AsString() != "ExternalName") {
    json::Value& spec = service.Mutable("spec");
    if (spec.Get("clusterIP").AsString().empty() && spec.Get("clusterIPs").items().empty()) {
      spec.Set("clusterIP", AddressOf(service));
    }
    if (spec.Get("clusterIPs").items().empty()) {
      spec.Set("clusterIPs", json::Value::Array({spec.Get("clusterIP")}));
    }
    // Without a selector, endpoints can have any family.
    const bool any = IsHeadless(service) && spec.Get("selector").members().empty();
    SetIfAbsent(spec, "ipFamilyPolicy", any ? "RequireDualStack" : "SingleStack");
    if (spec.Get("ipFamilies").items().empty()) {
      spec.Set("ipFamilies",
               any ? json::Value::Array({"IPv4", "IPv6"}) : json::Value::Array({"IPv4"}));
    }
  }
  AllocateNodePorts(service);
  json::Value& spec = service.Mutable("spec");
  if (NeedsHealthCheckPort(service) && spec.Get("healthCheckNodePort").AsInteger() == 0) {
    spec.Set("healthCheckNodePort",
             static_cast<int64_t>(kFirstNodePort +
                                  HashOf("health " + QualifiedNameOf(service)) % kNodePorts));
  }
}

void DropFieldsOfOtherTypes(json::Value& service, const json::Value& before) {
  json::Value& spec = service.Mutable("spec");
  const json::Value& old = before.Get("spec");
  const auto drop_if_unchanged = [&](std::string_view field) {
    if (!spec.Get(field).IsNull() && spec.Get(field) == old.Get(field)) spec.Erase(field);
  };
  if (NeedsNodePorts(old) && !NeedsNodePorts(spec) && NodePortsOf(spec) == NodePortsOf(old) &&
      !spec.Get("ports").items().empty()) {
    for (json::Value& port : spec.Mutable("ports").MutableItems()) port.Erase("nodePort");
  }
  if (old.Get("type").AsString() == "LoadBalancer" &&
      spec.Get("type").AsString() != "LoadBalancer") {
    drop_if_unchanged("allocateLoadBalancerNodePorts");
    drop_if_unchanged("loadBalancerClass");
  }
  if (NeedsHealthCheckPort(before) && !NeedsHealthCheckPort(service)) {
    drop_if_unchanged("healthCheckNodePort");
  }
  if (IsExternallyAccessible(before) && !IsExternallyAccessible(service)) {
    drop_if_unchanged("externalTrafficPolicy");
  }
  if (spec.Get("type").AsString() == "ExternalName") spec.Erase("internalTrafficPolicy");
  if (spec.Get("type").AsString() != "LoadBalancer") {
    service.Mutable("status", "loadBalancer") = json::Value::Object();
  }
}

void KeepAllocated(json::Value& service, const json::Value& before) {
  const json::Value& old = before.Get("spec");
  if (service.Get("spec", "type").AsString() == "ExternalName") {
    json::Value& spec = service.Mutable("spec");
    FollowFirstAddress(spec, old);
    if (old.Get("type").AsString() == "ExternalName") return;
    for (const std::string_view field :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      if (spec.Get(field) == old.Get(field)) spec.Erase(field);
    }
    return;
  }
  json::Value& spec = service.Mutable("spec");
  for (const std::string_view field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (spec.Get(field).IsEmpty() && !old.Get(field).IsEmpty()) spec.Set(field, old.Get(field));
  }
  FollowFirstAddress(spec, old);
  KeepNodePorts(service, before);
  if (NeedsHealthCheckPort(before) && NeedsHealthCheckPort(service) &&
      service.Get("spec", "healthCheckNodePort").AsInteger() == 0) {
    service.Mutable("spec", "healthCheckNodePort") = old.Get("healthCheckNodePort");
  }
}

}  // namespace capstan::testing::server
