#pragma once

#include <memory>
#include <string_view>

#include <capstan/controller.h>

namespace capstan::vectors {

// The reconciler of the plugin "deployment" or "replicaset", as created by its Setup. Null for any
// other name.
std::unique_ptr<Reconciler> NewReconciler(std::string_view controller, PluginContext& context);

}  // namespace capstan::vectors
