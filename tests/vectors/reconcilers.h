#pragma once

#include <memory>
#include <string_view>

#include <capstan/controller.h>

namespace capstan::vectors {

// The reconciler of the plugin "deployment" or "replicaset", as its Setup makes it; null for
// another name.
std::unique_ptr<Reconciler> NewReconciler(std::string_view controller, PluginContext& context);

}  // namespace capstan::vectors
