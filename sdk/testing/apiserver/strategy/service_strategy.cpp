#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>

#include "apiserver/http/api_errors.h"
#include "apiserver/strategy/service_balancer.h"
#include "apiserver/strategy/service_defaults.h"
#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/endpoint_address.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/object_meta.h"
#include "apiserver/validation/probe.h"

namespace capstan::testing::server {
namespace {

void ValidatePort(const json::Value& port, bool needs_name, const FieldPath& path,
                  FieldErrors& errors) {
  ValidatePortNameAndNumber(port, needs_name, path, errors);
  const std::string& protocol = port.Get("protocol").AsString();
  if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors.NotSupported(path.At("protocol"), protocol, {"SCTP", "TCP", "UDP"});
  }
  ValidatePortOrName(port.Get("targetPort"), path.Child("targetPort"), errors);
  const std::string& application = port.Get("appProtocol").AsString();
  if (!application.empty()) {
    AddFaults(FaultsOfQualifiedName(application), path.Child("appProtocol"), application, errors);
  }
}

// Prints a port as the API does in Duplicate errors: only the compared fields are set.
std::string PrintedPort(const json::Value& port) {
  return "{\"Name\":\"\",\"Protocol\":" + json::ToJson(port.Get("protocol")) +
         ",\"AppProtocol\":null,\"Port\":" + json::ToJson(port.Get("port")) +
         ",\"TargetPort\":0,\"NodePort\":0}";
}

// Pairs of a number, as text, and a protocol.
using SeenPorts = std::set<std::pair<std::string, std::string_view>>;

// Whether an earlier port had the same number and protocol. Remembers this port.
bool IsRepeated(const json::Value& port, std::string_view number, SeenPorts& seen) {
  const std::string_view protocol = port.Get("protocol").AsString();
  return !seen.insert({json::ToJson(port.Get(number)), protocol}).second;
}

void ValidatePorts(const json::Value& spec, FieldErrors& errors) {
  const auto& ports = spec.Get("ports").items();
  const FieldPath path("spec.ports");
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const FieldPath at = path.Index(i);
    ValidatePort(ports[i], ports.size() > 1, at, errors);
    const std::string& name = ports[i].Get("name").AsString();
    if (!name.empty() && !names.insert(name).second) {
      errors.Duplicate(at.At("name"), ports[i].Get("name"));
    }
  }
}

void ValidateNodePorts(const json::Value& spec, FieldErrors& errors) {
  const auto& ports = spec.Get("ports").items();
  const FieldPath path("spec.ports");
  const bool forbidden = spec.Get("type").AsString() == "ClusterIP";
  SeenPorts node_ports;
  SeenPorts numbers;
  for (size_t i = 0; i < ports.size() && forbidden; ++i) {
    if (ports[i].Get("nodePort").AsInteger() == 0) continue;
    const FieldPath at = path.Index(i);
    errors.Forbidden(at.At("nodePort"), "may not be used when `type` is 'ClusterIP'");
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].Get("nodePort").AsInteger() == 0) continue;
    if (!IsRepeated(ports[i], "nodePort", node_ports)) continue;
    const FieldPath at = path.Index(i);
    errors.Duplicate(at.At("nodePort"), ports[i].Get("nodePort"));
  }
  for (size_t i = 0; i < ports.size(); ++i) {
    if (!IsRepeated(ports[i], "port", numbers)) continue;
    errors.Add({FieldError::Type::kDuplicate, path.Index(i).Text(), PrintedPort(ports[i]), {}});
  }
}

void ValidateExternalName(const json::Value& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  for (const std::string_view field : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (!spec.Get(field).IsEmpty()) {
      errors.Forbidden(path.At(field), "may not be set for ExternalName services");
    }
  }
  std::string_view name = spec.Get("externalName").AsString();
  if (!name.empty() && name.back() == '.') name.remove_suffix(1);
  if (name.empty()) {
    errors.Required(path.At("externalName"));
  } else {
    AddFaults(FaultsOfDnsSubdomain(name), path.Child("externalName"), name, errors);
  }
}

void ValidateFamilies(const json::Value& spec, FieldErrors& errors) {
  const FieldPath path("spec.clusterIPs");
  const auto& addresses = spec.Get("clusterIPs").items();
  const auto& families = spec.Get("ipFamilies").items();
  for (size_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const std::string& address = addresses[i].AsString();
    const std::string& family = families[i].AsString();
    if (!FaultsOfIp(address).empty()) continue;
    if (family == (address.find(':') == std::string::npos ? "IPv4" : "IPv6")) continue;
    errors.Invalid(path.Index(i).Text(), address,
                   Format("expected an {} value as indicated by `ipFamilies[{}]`", family, i));
  }
}

void ValidateClusterIps(const json::Value& spec, FieldErrors& errors) {
  if (spec.Get("type").AsString() == "ExternalName") return;
  const FieldPath path("spec.clusterIPs");
  const json::Value& addresses = spec.Get("clusterIPs");
  const auto& all = addresses.items();
  const std::string& first = spec.Get("clusterIP").AsString();
  if (first.empty()) {
    if (!all.empty()) {
      errors.Invalid(path.Text(), addresses, "must be empty when `clusterIP` is not specified");
    }
  } else if (all.empty()) {
    errors.Required(path.Text());
  } else if (all.front().AsString() != first) {
    errors.Invalid(path.Text(), addresses, "first value must match `clusterIP`");
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& address = all[i].AsString();
    if (i == 0 && address == "None") {
      if (all.size() > 1) {
        errors.Invalid(path.Text(), addresses, "'None' must be the first and only value");
      }
      continue;
    }
    AddFaults(FaultsOfIp(address), path.Index(i), address, errors);
  }
  if (all.size() > 2) errors.Invalid(path.Text(), addresses, "may only hold up to 2 values");
}

void ValidateTrafficPolicies(const json::Value& service, FieldErrors& errors) {
  const json::Value& spec = service.Get("spec");
  const std::string& external = spec.Get("externalTrafficPolicy").AsString();
  if (IsExternallyAccessible(service)) {
    ValidateChoice(spec, "externalTrafficPolicy", {"Cluster", "Local"}, FieldPath("spec"), errors);
  } else if (!external.empty()) {
    errors.Invalid("spec.externalTrafficPolicy", external,
                   "may only be set for externally-accessible services");
  }
  if (!spec.Get("internalTrafficPolicy").IsNull()) {
    ValidateChoice(spec, "internalTrafficPolicy", {"Cluster", "Local"}, FieldPath("spec"), errors);
  }
}

// How long a client stays with its endpoint.
void ValidateAffinity(const json::Value& spec, FieldErrors& errors) {
  if (spec.Get("sessionAffinity").AsString() != "ClientIP") return;
  constexpr int64_t kDay = 86400;
  const FieldPath path("spec.sessionAffinityConfig.clientIP.timeoutSeconds");
  const json::Value& seconds = spec.Get("sessionAffinityConfig", "clientIP", "timeoutSeconds");
  if (seconds.AsInteger() > 0 && seconds.AsInteger() <= kDay) return;
  errors.Invalid(path.Text(), seconds,
                 "must be greater than 0 and less than " + std::to_string(kDay));
}

void ValidateExternalIps(const json::Value& spec, FieldErrors& errors) {
  const auto& addresses = spec.Get("externalIPs").items();
  const FieldPath path("spec.externalIPs");
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::string& address = addresses[i].AsString();
    const FieldPath at = path.Index(i);
    const Faults faults = FaultsOfIp(address);
    AddFaults(faults, at, address, errors);
    if (faults.empty()) ValidateEndpointIp(address, at, errors);
  }
}

class Services : public SpecStatusStrategy {
 public:
  void PrepareForCreate(json::Value& object) const override {
    SpecStatusStrategy::PrepareForCreate(object);
    AllocateAddresses(object);
  }

  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override {
    SpecStatusStrategy::PrepareForUpdate(object, before, subresource);
    if (subresource == "status") return;
    KeepAllocated(object, before);
    AllocateAddresses(object);
    DropFieldsOfOtherTypes(object, before);
  }

  void Default(json::Value& object) const override { DefaultService(object); }

  void ValidateName(std::string_view name, std::string_view field,
                    FieldErrors& errors) const override {
    AddFaults(FaultsOfDnsLabel(name), FieldPath(field), name, errors);
  }

  // The API allocates the address before it validates the name. The IPAddress refers to the Service
  // by name, so a missing name fails there first.
  void ValidateFirst(const json::Value& object, FieldErrors& errors) const override {
    const std::string& address = object.Get("spec", "clusterIP").AsString();
    const bool allocated = !address.empty() && address != "None";
    if (!allocated || !object.Get("metadata", "name").AsString().empty()) return;
    errors.Invalid("spec.clusterIPs", json::Value::Array({""}),
                   "failed to allocate IP: IPAddress.networking.k8s.io " + Quoted(address) +
                       " is invalid: spec.parentRef.name: Required value");
  }
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& /*before*/) const override {
    return Warnings(object);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override;

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"loadBalancer", json::Value::Object()}});
  }
  bool CountsGenerations() const override { return false; }
};

std::vector<std::string> Services::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings;
  const json::Value& spec = object.Get("spec");
  const bool has_external = !spec.Get("externalIPs").items().empty();
  const bool external_name = spec.Get("type").AsString() == "ExternalName";
  if (IsHeadless(object) && has_external) {
    warnings.emplace_back("spec.externalIPs is ignored for headless services");
  }
  if (IsHeadless(object) && spec.Get("sessionAffinity").AsString() != "None") {
    warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
  }
  if (has_external && !IsHeadless(object) && !external_name) {
    warnings.emplace_back(
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (has_external && external_name) {
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (spec.Get("type").AsString() != "ExternalName" &&
      !spec.Get("externalName").AsString().empty()) {
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec.Get("trafficDistribution").AsString() == "PreferClose") {
    warnings.emplace_back(
        "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
  return warnings;
}

void Services::Validate(const json::Value& object, FieldErrors& errors) const {
  const FieldPath path("spec");
  const json::Value& spec = object.Get("spec");
  const std::string& type = spec.Get("type").AsString();
  const bool headless = IsHeadless(object);
  if (spec.Get("ports").items().empty() && !headless && type != "ExternalName") {
    errors.Required(path.At("ports"));
  }
  if (headless && (type == "LoadBalancer" || type == "NodePort")) {
    errors.Invalid("spec.clusterIPs[0]", "None",
                   "may not be set to 'None' for " + type + " services");
  }
  if (type == "ExternalName") ValidateExternalName(spec, errors);
  ValidatePorts(spec, errors);
  ValidateLabels(spec.Get("selector"), path.Child("selector"), errors);
  ValidateChoice(spec, "sessionAffinity", {"ClientIP", "None"}, FieldPath("spec"), errors);
  ValidateAffinity(spec, errors);
  ValidateClusterIps(spec, errors);
  ValidateExternalIps(spec, errors);
  ValidateChoice(spec, "type", {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"},
                 FieldPath("spec"), errors);
  ValidateNodePorts(spec, errors);
  ValidateBalancerFields(object, errors);
  ValidateTrafficPolicies(object, errors);
  if (!spec.Get("trafficDistribution").IsNull()) {
    ValidateChoice(spec, "trafficDistribution", {"PreferClose", "PreferSameZone", "PreferSameNode"},
                   path, errors);
  }
}

void Services::ValidateUpdate(const json::Value& object, const json::Value& before,
                              std::string_view subresource, FieldErrors& errors) const {
  const json::Value& spec = object.Get("spec");
  const json::Value& old = before.Get("spec");
  if (subresource == "status") {
    ValidateBalancerStatus(object, errors);
    return;
  }
  ValidateBalancerUpdate(object, before, errors);
  ValidateFamilies(spec, errors);
  if (spec.Get("type").AsString() == "ExternalName" ||
      old.Get("type").AsString() == "ExternalName" || (IsHeadless(object) && IsHeadless(before))) {
    return;
  }
  const auto& addresses = spec.Get("clusterIPs").items();
  const auto& old_addresses = old.Get("clusterIPs").items();
  if (addresses.empty() && !old_addresses.empty()) {
    errors.Invalid("spec.clusterIPs[0]", spec.Get("clusterIPs"),
                   "primary clusterIP can not be unset");
    return;
  }
  const bool same_size = addresses.size() == old_addresses.size();
  const size_t compared = same_size ? addresses.size() : 1;
  for (size_t i = 0; i < compared && i < old_addresses.size(); ++i) {
    if (addresses[i] == old_addresses[i]) continue;
    errors.Invalid(FieldPath("spec").At("clusterIPs", i), spec.Get("clusterIPs"),
                   "may not change once set");
  }
}

std::optional<std::string> Services::SelectableField(const json::Value& object,
                                                     std::string_view field) const {
  if (field == "spec.clusterIP") return object.Get("spec", "clusterIP").AsString();
  if (field == "spec.type") return object.Get("spec", "type").AsString();
  return SpecStatusStrategy::SelectableField(object, field);
}

}  // namespace

StrategyPtr ServiceStrategy() { return std::make_shared<Services>(); }

}  // namespace capstan::testing::server
