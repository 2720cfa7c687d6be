/// The Deployment controller: defines the events that enqueue a Deployment.

#include <memory>
#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin.h>

#include "explainer.h"
#include "pod_fields.h"
#include "reconciler.h"
#include "sync_failures.h"
#include "wake.h"

namespace capstan::deployment {
namespace {

Status Setup(PluginContext& context) {
  context.Reads<Pod>(kPodFields);
  const auto deployments = context.ListerFor<Deployment>();
  const auto sets = context.ListerFor<ReplicaSet>();
  const auto pods = context.ListerFor<Pod>();
  const auto failures = std::make_shared<SyncFailures>();
  context.ExplainWith<Deployment>(std::make_shared<DeploymentExplainer>(context, failures));
  return context.NewController("deployment")
      .For<Deployment>()
      .Owns<ReplicaSet>()
      .Watches<ReplicaSet>(AdoptersOf<ReplicaSet>(deployments))
      .Watches<Pod>([deployments, sets, pods](const Pod* before, const Pod* after,
                                              std::vector<NamespacedName>& keys) {
        WakeRecreate(before, after, deployments, sets, pods, keys);
      })
      .Run([failures](PluginContext& plugin) -> std::shared_ptr<Reconciler> {
        return std::make_shared<FailureNotingReconciler>(
            std::make_shared<DeploymentReconciler>(plugin), failures, plugin.clock());
      });
}

}  // namespace
}  // namespace capstan::deployment

CAPSTAN_PLUGIN(.name = "deployment-controller", .aliases = {"deployment"},
               .setup = capstan::deployment::Setup,
               .concurrent_syncs_flag = "concurrent-deployment-syncs", .concurrent_syncs = 5,
               .explains = {{.kind = "Deployment",
                             .resource = "deployments.apps",
                             .short_name = "deploy",
                             .explain = capstan::deployment::ExplainFromApi}});
