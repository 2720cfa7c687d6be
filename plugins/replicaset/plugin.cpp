/// The ReplicaSet controller: defines the events that enqueue a ReplicaSet.

#include <memory>
#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin.h>

#include "creation_backoff.h"
#include "pod_fields.h"
#include "reconciler.h"

namespace capstan::replicaset {
namespace {

Status Setup(PluginContext& context) {
  context.Reads<Pod>(kPodFields);
  const auto backoff = std::make_shared<CreationBackoff>(context.clock(), context.metrics());
  return context.NewController("replicaset")
      .For<ReplicaSet>()
      // Before Owns, so that the backoff has observed a rejected pod when the pod enqueues its
      // ReplicaSet.
      .Watches<Pod>([backoff](const Pod* before, const Pod* after, std::vector<NamespacedName>&) {
        backoff->Observe(before, after);
      })
      .Owns<Pod>()
      .Watches<Pod>(AdoptersOf<Pod>(context.ListerFor<ReplicaSet>()))
      .Watches<ReplicaSet>([backoff](const ReplicaSet* before, const ReplicaSet* after,
                                     std::vector<NamespacedName>&) {
        if (before && (!after || after->metadata.uid != before->metadata.uid)) {
          backoff->Forget(before->metadata.uid);
        }
      })
      .Run<ReplicaSetReconciler>(backoff);
}

}  // namespace
}  // namespace capstan::replicaset

CAPSTAN_PLUGIN(.name = "replicaset-controller", .aliases = {"replicaset"},
               .setup = capstan::replicaset::Setup,
               .concurrent_syncs_flag = "concurrent-replicaset-syncs", .concurrent_syncs = 5);
