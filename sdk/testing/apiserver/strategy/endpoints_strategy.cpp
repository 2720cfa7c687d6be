// Endpoints and EndpointSlices.

#include <set>
#include <string>

#include "apiserver/storage/object_fields.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/endpoint_address.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kMostEndpoints = 1000;
constexpr size_t kMostAddresses = 100;
constexpr size_t kMostPorts = 20000;
constexpr size_t kMostHints = 8;

void ValidateProtocol(const json::Value& port, const FieldPath& path, FieldErrors& errors) {
  if (port.Get("protocol").IsEmpty()) {
    errors.Required(path.At("protocol"));
  } else {
    ValidateChoice(port, "protocol", {"SCTP", "TCP", "UDP"}, path, errors);
  }
}

void ValidateAppProtocol(const json::Value& port, const FieldPath& path, FieldErrors& errors) {
  if (!Has(port, "appProtocol")) return;
  const std::string& protocol = port.Get("appProtocol").AsString();
  AddFaults(FaultsOfQualifiedName(protocol), path.Child("appProtocol"), protocol, errors);
}

void ValidateNodeNameOf(const json::Value& endpoint, const FieldPath& path, FieldErrors& errors) {
  if (!Has(endpoint, "nodeName")) return;
  const std::string& node = endpoint.Get("nodeName").AsString();
  AddFaults(FaultsOfDnsSubdomain(node), path.Child("nodeName"), node, errors);
}

void ValidateSubsetAddress(const json::Value& address, const FieldPath& path, FieldErrors& errors) {
  const std::string& ip = address.Get("ip").AsString();
  AddFaults(FaultsOfIp(ip), path.Child("ip"), ip, errors);
  if (const std::string& host = address.Get("hostname").AsString(); !host.empty()) {
    AddFaults(FaultsOfDnsLabel(host), path.Child("hostname"), host, errors);
  }
  ValidateNodeNameOf(address, path, errors);
  ValidateEndpointIp(ip, path.Child("ip"), errors);
}

void ValidateSubsetPort(const json::Value& port, bool needs_name, const FieldPath& path,
                        FieldErrors& errors) {
  ValidatePortNameAndNumber(port, needs_name, path, errors);
  ValidateProtocol(port, path, errors);
  ValidateAppProtocol(port, path, errors);
}

void ValidateSubset(const json::Value& subset, const FieldPath& path, FieldErrors& errors) {
  const auto& ready = subset.Get("addresses").items();
  const auto& not_ready = subset.Get("notReadyAddresses").items();
  if (ready.empty() && not_ready.empty()) {
    errors.Required(path.Text(), "must specify `addresses` or `notReadyAddresses`");
  }
  const FieldPath ready_path = path.Child("addresses");
  for (size_t i = 0; i < ready.size(); ++i) {
    ValidateSubsetAddress(ready[i], ready_path.Index(i), errors);
  }
  const FieldPath not_ready_path = path.Child("notReadyAddresses");
  for (size_t i = 0; i < not_ready.size(); ++i) {
    ValidateSubsetAddress(not_ready[i], not_ready_path.Index(i), errors);
  }
  const auto& ports = subset.Get("ports").items();
  const FieldPath ports_path = path.Child("ports");
  for (size_t i = 0; i < ports.size(); ++i) {
    ValidateSubsetPort(ports[i], ports.size() > 1, ports_path.Index(i), errors);
  }
}

class Endpoints : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  void Default(json::Value& object) const override {
    if (object.Get("subsets").items().empty()) return;
    for (json::Value& subset : object.Mutable("subsets").MutableItems()) {
      if (subset.Get("ports").items().empty()) continue;
      for (json::Value& port : subset.Mutable("ports").MutableItems()) {
        if (port.Get("protocol").IsEmpty()) port.Set("protocol", "TCP");
      }
    }
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const auto& subsets = object.Get("subsets").items();
    const FieldPath path("subsets");
    for (size_t i = 0; i < subsets.size(); ++i) ValidateSubset(subsets[i], path.Index(i), errors);
  }

  // The whole kind is deprecated: KindTraits::deprecation adds the Warning to every response.
  std::vector<std::string> Warnings(const json::Value& /*object*/) const override { return {}; }
};

// Validates the hints: the zones or nodes that should use an endpoint.
void ValidateHintsFor(const json::Value::Items& names, bool zones, const FieldPath& path,
                      FieldErrors& errors) {
  if (names.size() > kMostHints) {
    errors.TooMany(path.Text(), static_cast<int64_t>(names.size()), kMostHints);
    return;
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& name = names[i].Get("name").AsString();
    if (!seen.insert(name).second) errors.Duplicate(at.At("name"), name);
    AddFaults(zones ? FaultsOfLabelValue(name) : FaultsOfDnsSubdomain(name), at.Child("name"), name,
              errors);
  }
}

// A fully qualified domain name has two labels or more, and may end with a dot.
void ValidateDomainName(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  if (name.empty()) return errors.Required(path.Text());
  if (name.ends_with('.')) name.remove_suffix(1);
  const Faults faults = FaultsOfDnsSubdomain(name);
  const auto joined = [](const Faults& all) {
    std::string text;
    for (const std::string& fault : all) text += (text.empty() ? "" : ",") + fault;
    return text;
  };
  if (!faults.empty()) return errors.Invalid(path.Text(), name, joined(faults));
  if (name.find('.') == std::string_view::npos) {
    return errors.Invalid(path.Text(), name,
                          "should be a domain with at least two segments separated by dots");
  }
  for (bool more = true; more;) {
    const std::string_view label = name.substr(0, name.find('.'));
    if (const Faults of_label = FaultsOfDnsLabel(label); !of_label.empty()) {
      return errors.Invalid(path.Text(), label, joined(of_label));
    }
    more = label.size() < name.size();
    if (more) name.remove_prefix(label.size() + 1);
  }
}

bool IsV6(const std::string& address) { return address.find(':') != std::string::npos; }

void ValidateSliceAddresses(const json::Value& endpoint, const std::string& type,
                            const FieldPath& path, FieldErrors& errors) {
  const auto& addresses = endpoint.Get("addresses").items();
  const FieldPath list = path.Child("addresses");
  if (addresses.empty()) {
    errors.Required(list.Text(), "must contain at least 1 address");
  } else if (addresses.size() > kMostAddresses) {
    errors.TooMany(list.Text(), static_cast<int64_t>(addresses.size()), kMostAddresses);
  }
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::string& address = addresses[i].AsString();
    const FieldPath at = list.Index(i);
    if (type == "FQDN") {
      ValidateDomainName(address, at, errors);
    } else if (type == "IPv4" || type == "IPv6") {
      const Faults faults = FaultsOfIp(address);
      AddFaults(faults, at, address, errors);
      if (!faults.empty()) continue;
      if (IsV6(address) != (type == "IPv6")) {
        errors.Invalid(list.Text(), address, "must be an " + type + " address");
      }
      ValidateEndpointIp(address, at, errors);
    }
  }
}

void ValidateSliceEndpoints(const json::Value& slice, FieldErrors& errors) {
  const auto& endpoints = slice.Get("endpoints").items();
  const FieldPath path("endpoints");
  if (endpoints.size() > kMostEndpoints) {
    errors.TooMany(path.Text(), static_cast<int64_t>(endpoints.size()), kMostEndpoints);
    return;
  }
  const std::string& type = slice.Get("addressType").AsString();
  for (size_t i = 0; i < endpoints.size(); ++i) {
    const FieldPath at = path.Index(i);
    ValidateSliceAddresses(endpoints[i], type, at, errors);
    ValidateNodeNameOf(endpoints[i], at, errors);
    if (Has(endpoints[i], "hostname")) {
      const std::string& host = endpoints[i].Get("hostname").AsString();
      AddFaults(FaultsOfDnsLabel(host), at.Child("hostname"), host, errors);
    }
    const FieldPath hints = at.Child("hints");
    ValidateHintsFor(endpoints[i].Get("hints", "forZones").items(), true, hints.Child("forZones"),
                     errors);
    ValidateHintsFor(endpoints[i].Get("hints", "forNodes").items(), false, hints.Child("forNodes"),
                     errors);
  }
}

void ValidateSlicePorts(const json::Value& slice, FieldErrors& errors) {
  const auto& ports = slice.Get("ports").items();
  const FieldPath path("ports");
  if (ports.size() > kMostPorts) {
    errors.TooMany(path.Text(), static_cast<int64_t>(ports.size()), kMostPorts);
    return;
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& name = ports[i].Get("name").AsString();
    if (!name.empty()) AddFaults(FaultsOfDnsLabel(name), at.Child("name"), name, errors);
    if (!names.insert(name).second) errors.Duplicate(at.At("name"), name);
    ValidateProtocol(ports[i], at, errors);
    ValidateAppProtocol(ports[i], at, errors);
  }
}

class EndpointSlices : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }

  void PrepareForCreate(json::Value& object) const override {
    DropTopology(object);
    object.Mutable("metadata", "generation") = 1;
  }

  // Everything except the metadata changes the generation, and so do the labels.
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view /*subresource*/) const override {
    KeepGeneration(object, before);
    Default(object);
    json::Value content = object;
    json::Value old = before;
    content.Erase("metadata");
    old.Erase("metadata");
    if (content != old || object.Get("metadata", "labels") != before.Get("metadata", "labels")) {
      object.Mutable("metadata", "generation") =
          before.Get("metadata", "generation").AsInteger() + 1;
    }
    if (object.Get("endpoints") != before.Get("endpoints")) DropTopology(object);
  }

  void Default(json::Value& object) const override {
    if (object.Get("ports").items().empty()) return;
    for (json::Value& port : object.Mutable("ports").MutableItems()) {
      SetIfAbsent(port, "name", "");
      SetIfAbsent(port, "protocol", "TCP");
    }
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const json::Value& type = object.Get("addressType");
    if (type.IsEmpty()) {
      errors.Required("addressType");
    } else if (type.AsString() != "FQDN" && type.AsString() != "IPv4" &&
               type.AsString() != "IPv6") {
      errors.NotSupported("addressType", type, {"FQDN", "IPv4", "IPv6"});
    }
    ValidateSlicePorts(object, errors);
    ValidateSliceEndpoints(object, errors);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view /*subresource*/, FieldErrors& errors) const override {
    const json::Value& type = object.Get("addressType");
    if (type == before.Get("addressType")) return;
    errors.Invalid("addressType", type, std::string(kFieldImmutable));
  }

  std::vector<std::string> Warnings(const json::Value& object) const override {
    if (object.Get("addressType").AsString() != "FQDN") return {};
    return {"spec.addressType: FQDN endpoints are deprecated"};
  }

 private:
  // v1 only keeps topology that older versions have stored.
  static void DropTopology(json::Value& object) {
    if (object.Get("endpoints").items().empty()) return;
    for (json::Value& endpoint : object.Mutable("endpoints").MutableItems()) {
      if (endpoint.IsObject()) endpoint.Erase("deprecatedTopology");
    }
  }
};

}  // namespace

StrategyPtr EndpointsStrategy() { return std::make_shared<Endpoints>(); }
StrategyPtr EndpointSliceStrategy() { return std::make_shared<EndpointSlices>(); }

}  // namespace capstan::testing::server
