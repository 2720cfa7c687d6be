#pragma once

/// LeaseCandidate of coordination.k8s.io: tells the server that a process can hold a Lease, and
/// which version the process runs (KEP-4355, coordinated leader election).
/// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-candidate-v1beta1/

#include <string>

#include <capstan/api/coordination_v1.h>
#include <capstan/api/object.h>
#include <capstan/client/client.h>

namespace capstan::manager {

struct LeaseCandidateSpec {
  std::string leaseName;
  api::MicroTime pingTime;   ///< set by the server to ask whether the process is alive
  api::MicroTime renewTime;  ///< set by the process; it answers with a time after pingTime
  std::string binaryVersion;
  std::string emulationVersion;
  std::string strategy;
};

struct LeaseCandidate {
  api::ObjectMeta metadata;
  LeaseCandidateSpec spec;
};

/// The version of LeaseCandidate that the server serves: v1beta1, or else v1alpha2. Null if it
/// serves neither.
Result<const TypeDescriptor*> ServedLeaseCandidate(const Client& client);

}  // namespace capstan::manager

CAPSTAN_DECLARE_TYPE(capstan::manager::LeaseCandidateSpec)
CAPSTAN_DECLARE_RESOURCE(capstan::manager::LeaseCandidate)
