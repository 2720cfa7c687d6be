#include "apiserver/strategy/service_balancer.h"

#include <string>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kOnlyBalancers = "may only be used when `type` is 'LoadBalancer'";

bool IsBalancer(const json::Value& service) {
  return service.Get("spec", "type").AsString() == "LoadBalancer";
}

std::string_view WithoutSpace(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\n");
  if (start == std::string_view::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t\n") - start + 1);
}

void ValidateSourceRanges(const json::Value& service, FieldErrors& errors) {
  const auto& ranges = service.Get("spec", "loadBalancerSourceRanges").items();
  const FieldPath path("spec.LoadBalancerSourceRanges");
  if (!ranges.empty() && !IsBalancer(service)) {
    errors.Forbidden(path.Text(), std::string(kOnlyBalancers));
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    const std::string_view range = WithoutSpace(ranges[i].AsString());
    AddFaults(FaultsOfCidr(range), path.Index(i), range, errors);
  }
}

void ValidateHealthCheckPort(const json::Value& service, FieldErrors& errors) {
  const FieldPath path("spec.healthCheckNodePort");
  const int64_t port = service.Get("spec", "healthCheckNodePort").AsInteger();
  if (!NeedsHealthCheckPort(service)) {
    if (port == 0) return;
    errors.Invalid(path.Text(), port,
                   "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is "
                   "'Local'");
    return;
  }
  for (const std::string& fault : FaultsOfPort(port)) errors.Invalid(path.Text(), port, fault);
}

void ValidateIngress(const json::Value& ingress, const FieldPath& path, FieldErrors& errors) {
  const std::string& address = ingress.Get("ip").AsString();
  if (!address.empty()) AddFaults(FaultsOfIp(address), path.Child("ip"), address, errors);
  if (!Has(ingress, "ipMode")) {
    if (!address.empty()) {
      errors.Required(path.At("ipMode"), "must be specified when `ip` is set");
    }
  } else if (address.empty()) {
    errors.Forbidden(path.At("ipMode"), "may not be specified when `ip` is not set");
  } else {
    ValidateChoice(ingress, "ipMode", {"Proxy", "VIP"}, path, errors);
  }
  const std::string& host = ingress.Get("hostname").AsString();
  if (host.empty()) return;
  AddFaults(FaultsOfDnsSubdomain(host), path.Child("hostname"), host, errors);
  if (FaultsOfIp(host).empty()) {
    errors.Invalid(path.At("hostname"), host, "must be a DNS name, not an IP address");
  }
}

}  // namespace

bool NeedsHealthCheckPort(const json::Value& service) {
  return IsBalancer(service) && service.Get("spec", "externalTrafficPolicy").AsString() == "Local";
}

void ValidateBalancerFields(const json::Value& service, FieldErrors& errors) {
  const FieldPath path("spec");
  const json::Value& spec = service.Get("spec");
  ValidateSourceRanges(service, errors);
  if (!IsBalancer(service) && Has(spec, "allocateLoadBalancerNodePorts")) {
    errors.Forbidden(path.At("allocateLoadBalancerNodePorts"), std::string(kOnlyBalancers));
  }
  if (Has(spec, "loadBalancerClass")) {
    const std::string& name = spec.Get("loadBalancerClass").AsString();
    if (IsBalancer(service)) {
      AddFaults(FaultsOfQualifiedName(name), path.Child("loadBalancerClass"), name, errors);
    } else {
      errors.Forbidden(path.At("loadBalancerClass"), std::string(kOnlyBalancers));
    }
  }
  ValidateHealthCheckPort(service, errors);
}

void ValidateBalancerUpdate(const json::Value& service, const json::Value& before,
                            FieldErrors& errors) {
  const json::Value& spec = service.Get("spec");
  const json::Value& old = before.Get("spec");
  if (IsBalancer(service) && IsBalancer(before) &&
      spec.Get("loadBalancerClass") != old.Get("loadBalancerClass")) {
    errors.Invalid("spec.loadBalancerClass", spec.Get("loadBalancerClass"),
                   "may not change once set");
  }
  if (NeedsHealthCheckPort(service) && NeedsHealthCheckPort(before) &&
      spec.Get("healthCheckNodePort") != old.Get("healthCheckNodePort")) {
    errors.Forbidden("spec.healthCheckNodePort", std::string(kFieldImmutable));
  }
}

void ValidateBalancerStatus(const json::Value& service, FieldErrors& errors) {
  const FieldPath path("status.loadBalancer.ingress");
  const auto& all = service.Get("status", "loadBalancer", "ingress").items();
  if (!IsBalancer(service) && !all.empty()) {
    errors.Forbidden(path.Text(), "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (size_t i = 0; i < all.size(); ++i) ValidateIngress(all[i], path.Index(i), errors);
}

}  // namespace capstan::testing::server
