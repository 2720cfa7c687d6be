#pragma once

/// Rollback by the annotation that replaces spec.rollbackTo of removed API versions.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types.h"

namespace capstan::deployment {

/// Returns the revision that the annotation requests (0 = the previous one), or nullopt for no
/// rollback.
std::optional<int64_t> RollbackRequest(const Deployment& deployment);

/// The annotation is always removed, so that the rollback runs once.
struct RollbackPlan {
  Deployment after;  ///< with the new template and annotations
  bool replaces_template = false;
  std::string reason;  ///< of the event, which is a warning unless the template is replaced
  std::string message;
};

/// `sets` are all ReplicaSets of the Deployment, oldest first, the new one last.
RollbackPlan PlanRollback(const Deployment& deployment, int64_t revision,
                          const std::vector<const ReplicaSet*>& sets);

}  // namespace capstan::deployment
