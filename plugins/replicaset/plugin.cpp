/// The ReplicaSet controller: which events wake it.

#include <memory>
#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin.h>

#include "expectations.h"
#include "pod_events.h"
#include "reconciler.h"

namespace capstan::replicaset {
namespace {

Status Setup(PluginContext& context) {
  auto expectations = std::make_shared<Expectations>(context.clock());
  const Lister<ReplicaSet> sets = context.ListerFor<ReplicaSet>();
  return context.NewController("replicaset")
      .For<ReplicaSet>()
      .Owns<Pod>()
      .Watches<Pod>(
          [expectations](const Pod* before, const Pod* after, std::vector<NamespacedName>& keys) {
            ObservePod(before, after, *expectations, keys);
          })
      .Watches<Pod>([sets](const Pod* before, const Pod* after, std::vector<NamespacedName>& keys) {
        WakeAdopters(before, after, sets, keys);
      })
      .Watches<ReplicaSet>([expectations](const ReplicaSet* before, const ReplicaSet* after,
                                          std::vector<NamespacedName>&) {
        if (before && (!after || after->metadata.uid != before->metadata.uid)) {
          expectations->Forget(before->metadata.uid);
        }
      })
      .Run<ReplicaSetReconciler>(expectations);
}

}  // namespace
}  // namespace capstan::replicaset

CAPSTAN_PLUGIN(.name = "replicaset-controller", .aliases = {"replicaset"},
               .setup = capstan::replicaset::Setup,
               .concurrent_syncs_flag = "concurrent-replicaset-syncs", .concurrent_syncs = 5);
