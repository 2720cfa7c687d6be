/// The Deployment controller: which events wake it.

#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin.h>

#include "reconciler.h"
#include "wake.h"

namespace capstan::deployment {
namespace {

Status Setup(PluginContext& context) {
  const auto deployments = context.ListerFor<Deployment>();
  const auto sets = context.ListerFor<ReplicaSet>();
  const auto pods = context.ListerFor<Pod>();
  return context.NewController("deployment")
      .For<Deployment>()
      .Owns<ReplicaSet>()
      .Watches<ReplicaSet>([deployments](const ReplicaSet* before, const ReplicaSet* after,
                                         std::vector<NamespacedName>& keys) {
        WakeAdopters(before, after, deployments, keys);
      })
      .Watches<Pod>([deployments, sets, pods](const Pod* before, const Pod* after,
                                              std::vector<NamespacedName>& keys) {
        WakeRecreate(before, after, deployments, sets, pods, keys);
      })
      .Run<DeploymentReconciler>();
}

}  // namespace
}  // namespace capstan::deployment

CAPSTAN_PLUGIN(.name = "deployment-controller", .aliases = {"deployment"},
               .setup = capstan::deployment::Setup,
               .concurrent_syncs_flag = "concurrent-deployment-syncs", .concurrent_syncs = 5);
