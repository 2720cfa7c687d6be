#include <capstan/api/coordination_v1.h>

CAPSTAN_DEFINE_TYPE(capstan::api::coordination::v1::LeaseSpec, CAPSTAN_FIELD(holderIdentity, 1),
                    CAPSTAN_FIELD(leaseDurationSeconds, 2), CAPSTAN_FIELD(acquireTime, 3),
                    CAPSTAN_FIELD(renewTime, 4), CAPSTAN_FIELD(leaseTransitions, 5),
                    CAPSTAN_FIELD(strategy, 6), CAPSTAN_FIELD(preferredHolder, 7))

CAPSTAN_DEFINE_RESOURCE(capstan::api::coordination::v1::Lease,
                        (.group = "coordination.k8s.io", .version = "v1", .resource = "leases",
                         .kind = "Lease", .namespaced = true),
                        CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2))
