#pragma once

/// coordination.k8s.io/v1: Lease.
/// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/

#include <cstdint>
#include <optional>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan::api::coordination::v1 {

struct LeaseSpec {
  std::optional<std::string> holderIdentity;  ///< "" after a release
  std::optional<int32_t> leaseDurationSeconds;
  MicroTime acquireTime;
  MicroTime renewTime;
  std::optional<int32_t> leaseTransitions;
  /// Coordinated leader election (KEP-4355): `strategy` is how the server chooses the holder, and
  /// `preferredHolder` is the holder that the server prefers.
  std::optional<std::string> strategy;
  std::optional<std::string> preferredHolder;
};

struct Lease {
  ObjectMeta metadata;
  LeaseSpec spec;
};

}  // namespace capstan::api::coordination::v1

CAPSTAN_API_TYPE(capstan::api::coordination::v1::LeaseSpec, CAPSTAN_FIELD(holderIdentity, 1),
                 CAPSTAN_FIELD(leaseDurationSeconds, 2), CAPSTAN_FIELD(acquireTime, 3),
                 CAPSTAN_FIELD(renewTime, 4), CAPSTAN_FIELD(leaseTransitions, 5),
                 CAPSTAN_FIELD(strategy, 6), CAPSTAN_FIELD(preferredHolder, 7))

CAPSTAN_API_RESOURCE(capstan::api::coordination::v1::Lease,
                     (.group = "coordination.k8s.io", .version = "v1", .resource = "leases",
                      .kind = "Lease", .namespaced = true),
                     CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2))
