#include "election/lease_candidate.h"

#include <algorithm>

namespace capstan::manager {

/// The discovery document of a group and version.
struct ServedResource {
  std::string name;
};
struct ServedResources {
  List<ServedResource> resources;
};

}  // namespace capstan::manager

CAPSTAN_DECLARE_TYPE(capstan::manager::ServedResource)
CAPSTAN_DECLARE_TYPE(capstan::manager::ServedResources)
CAPSTAN_DEFINE_TYPE(capstan::manager::ServedResource, CAPSTAN_FIELD(name))
CAPSTAN_DEFINE_TYPE(capstan::manager::ServedResources, CAPSTAN_FIELD(resources))

CAPSTAN_DEFINE_TYPE(capstan::manager::LeaseCandidateSpec, CAPSTAN_FIELD(leaseName),
                    CAPSTAN_FIELD(pingTime), CAPSTAN_FIELD(renewTime), CAPSTAN_FIELD(binaryVersion),
                    CAPSTAN_FIELD(emulationVersion), CAPSTAN_FIELD(strategy))
CAPSTAN_DEFINE_RESOURCE(capstan::manager::LeaseCandidate,
                        (.group = "coordination.k8s.io", .version = "v1beta1",
                         .resource = "leasecandidates", .kind = "LeaseCandidate",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec))

namespace capstan::manager {
namespace {

constexpr ResourceInfo kAlphaLeaseCandidates{.group = "coordination.k8s.io",
                                             .version = "v1alpha2",
                                             .resource = "leasecandidates",
                                             .kind = "LeaseCandidate",
                                             .namespaced = true};

/// Both versions have the same fields.
const TypeDescriptor& AlphaLeaseCandidate() {
  static const TypeDescriptor kType = [] {
    TypeDescriptor type = DescriptorOf<LeaseCandidate>();
    type.resource = &kAlphaLeaseCandidates;
    return type;
  }();
  return kType;
}

Result<bool> ServesCandidates(const Client& client, const ResourceInfo& info) {
  const auto text = client.GetPath("/apis/" + info.ApiVersion());
  if (!text) {
    if (text.status().IsNotFound() || text.status().IsForbidden()) return false;
    return text.status();
  }
  const auto served = FromJson<ServedResources>(*text);
  if (!served) return served.status();
  return std::any_of(
      served->resources.begin(), served->resources.end(),
      [&](const ServedResource& resource) { return resource.name == info.resource; });
}

}  // namespace

Result<const TypeDescriptor*> ServedLeaseCandidate(const Client& client) {
  for (const TypeDescriptor* type : {&DescriptorOf<LeaseCandidate>(), &AlphaLeaseCandidate()}) {
    const auto serves = ServesCandidates(client, *type->resource);
    if (!serves) return serves.status();
    if (*serves) return type;
  }
  return nullptr;
}

}  // namespace capstan::manager
