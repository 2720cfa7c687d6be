// Rows of Services, Endpoints and EndpointSlices.

#include <set>
#include <string>
#include <vector>

#include "apiserver/print/rows.h"
#include "base/text/joined.h"
#include "base/text/url_text.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kMostShown = 3;

std::string ExternalAddress(const json::Value& service) {
  const json::Value& spec = service.Get("spec");
  const std::string& type = spec.Get("type").AsString();
  if (type == "ExternalName") return spec.Get("externalName").AsString();
  const bool balanced = type == "LoadBalancer";
  if (!balanced && type != "ClusterIP" && type != "NodePort") return "<unknown>";
  std::vector<std::string> addresses;
  if (balanced) {
    std::set<std::string> sorted;
    for (const json::Value& ingress : service.Get("status", "loadBalancer", "ingress").items()) {
      const json::Value& address = ingress.Get(ingress.Get("ip").IsEmpty() ? "hostname" : "ip");
      if (!address.IsEmpty()) sorted.insert(address.AsString());
    }
    addresses.assign(sorted.begin(), sorted.end());
  }
  for (const json::Value& ip : spec.Get("externalIPs").items()) addresses.push_back(ip.AsString());
  if (addresses.empty()) return balanced ? "<pending>" : "<none>";
  return text::Joined(addresses);
}

std::string ServicePorts(const json::Value& service) {
  std::vector<std::string> ports;
  for (const json::Value& port : service.Get("spec", "ports").items()) {
    std::string number = std::to_string(port.Get("port").AsInteger());
    if (const int64_t node_port = port.Get("nodePort").AsInteger(); node_port > 0) {
      number += ":" + std::to_string(node_port);
    }
    ports.push_back(number + "/" + port.Get("protocol").AsString());
  }
  return text::Joined(ports);
}

std::vector<std::string> SubsetAddresses(const json::Value& endpoints) {
  std::vector<std::string> all;
  for (const json::Value& subset : endpoints.Get("subsets").items()) {
    const auto& addresses = subset.Get("addresses").items();
    const auto& ports = subset.Get("ports").items();
    if (ports.empty()) {
      for (const json::Value& address : addresses) all.push_back(address.Get("ip").AsString());
    }
    for (const json::Value& port : ports) {
      for (const json::Value& address : addresses) {
        all.push_back(text::HostAndPort(address.Get("ip").AsString(),
                                        static_cast<int>(port.Get("port").AsInteger())));
      }
    }
  }
  return all;
}

std::string OrUnset(std::string text) { return text.empty() ? "<unset>" : text; }

}  // namespace

TableRow PrintService(const json::Value& object, WallTime now) {
  const auto& ips = object.Get("spec", "clusterIPs").items();
  return {{NameOf(object), object.Get("spec", "type"), ips.empty() ? json::Value("<none>") : ips[0],
           ExternalAddress(object), Or(ServicePorts(object), "<none>"), AgeOfObject(object, now),
           Or(LabelsText(object.Get("spec", "selector")), "<none>")}};
}

TableRow PrintEndpoints(const json::Value& object, WallTime now) {
  std::string cell = "<none>";
  if (!object.Get("subsets").items().empty()) {
    cell = FirstOf(SubsetAddresses(object), kMostShown, ",");
  }
  return {{NameOf(object), std::move(cell), AgeOfObject(object, now)}};
}

TableRow PrintEndpointSlice(const json::Value& object, WallTime now) {
  std::vector<std::string> ports;
  for (const json::Value& port : object.Get("ports").items()) {
    const json::Value& number = port.Get("port");
    const json::Value& name = port.Get("name");
    if (!number.IsNull()) {
      ports.push_back(std::to_string(number.AsInteger()));
    } else {
      ports.push_back(name.IsNull() ? "*" : name.AsString());
    }
  }
  std::vector<std::string> addresses;
  for (const json::Value& endpoint : object.Get("endpoints").items()) {
    for (const json::Value& address : endpoint.Get("addresses").items()) {
      addresses.push_back(address.AsString());
    }
  }
  return {{NameOf(object), object.Get("addressType").AsString(),
           OrUnset(FirstOf(ports, kMostShown, ",")), OrUnset(FirstOf(addresses, kMostShown, ",")),
           AgeOfObject(object, now)}};
}

}  // namespace capstan::testing::server
