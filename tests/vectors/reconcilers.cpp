#include "reconcilers.h"

#include "deployment/reconciler.h"
#include "replicaset/reconciler.h"

namespace capstan::vectors {

std::unique_ptr<Reconciler> NewReconciler(std::string_view controller, PluginContext& context) {
  if (controller == "deployment") {
    return std::make_unique<deployment::DeploymentReconciler>(context);
  }
  if (controller == "replicaset") {
    return std::make_unique<replicaset::ReplicaSetReconciler>(context);
  }
  return nullptr;
}

}  // namespace capstan::vectors
