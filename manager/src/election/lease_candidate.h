#pragma once

/// coordination.k8s.io LeaseCandidate: how a process tells the server that it could hold a Lease,
/// and in which version it runs (KEP-4355, coordinated leader election).
/// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-candidate-v1beta1/

#include <string>

#include <capstan/api/coordination_v1.h>
#include <capstan/api/object.h>
#include <capstan/client/client.h>

namespace capstan::manager {

struct LeaseCandidateSpec {
  std::string leaseName;
  api::MicroTime pingTime;   ///< the server asks whether the process is there,
  api::MicroTime renewTime;  ///< which answers by a later time
  std::string binaryVersion;
  std::string emulationVersion;
  std::string strategy;
};

struct LeaseCandidate {
  api::ObjectMeta metadata;
  LeaseCandidateSpec spec;
};

/// The type of LeaseCandidates that the server serves, v1beta1 or else v1alpha2; null: none.
Result<const TypeDescriptor*> ServedLeaseCandidate(const Client& client);

}  // namespace capstan::manager

CAPSTAN_DECLARE_TYPE(capstan::manager::LeaseCandidateSpec)
CAPSTAN_DECLARE_RESOURCE(capstan::manager::LeaseCandidate)
