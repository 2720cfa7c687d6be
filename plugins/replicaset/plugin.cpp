/// The ReplicaSet controller: which events wake it.

#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin.h>

#include "pod_events.h"
#include "reconciler.h"

namespace capstan::replicaset {
namespace {

Status Setup(PluginContext& context) {
  const Lister<ReplicaSet> sets = context.ListerFor<ReplicaSet>();
  return context.NewController("replicaset")
      .For<ReplicaSet>()
      .Owns<Pod>()
      .Watches<Pod>([sets](const Pod* before, const Pod* after, std::vector<NamespacedName>& keys) {
        WakeAdopters(before, after, sets, keys);
      })
      .Run<ReplicaSetReconciler>();
}

}  // namespace
}  // namespace capstan::replicaset

CAPSTAN_PLUGIN(.name = "replicaset-controller", .aliases = {"replicaset"},
               .setup = capstan::replicaset::Setup,
               .concurrent_syncs_flag = "concurrent-replicaset-syncs", .concurrent_syncs = 5);
