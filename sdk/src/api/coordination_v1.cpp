#include <capstan/api/coordination_v1.h>

CAPSTAN_DEFINE_TYPE(capstan::api::coordination::v1::LeaseSpec, CAPSTAN_FIELD(holderIdentity),
                    CAPSTAN_FIELD(leaseDurationSeconds), CAPSTAN_FIELD(acquireTime),
                    CAPSTAN_FIELD(renewTime), CAPSTAN_FIELD(leaseTransitions),
                    CAPSTAN_FIELD(strategy), CAPSTAN_FIELD(preferredHolder))

CAPSTAN_DEFINE_RESOURCE(capstan::api::coordination::v1::Lease,
                        (.group = "coordination.k8s.io", .version = "v1", .resource = "leases",
                         .kind = "Lease", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec))
