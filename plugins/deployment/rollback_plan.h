#pragma once

/// Rollback by the annotation that stands for the spec.rollbackTo of API versions that are gone.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types.h"

namespace capstan::deployment {

/// The revision that the annotation asks for (0 = the last one), or nullopt: no rollback.
std::optional<int64_t> RollbackRequest(const Deployment& deployment);

/// In each case the annotation goes, so that the rollback is done once.
struct RollbackPlan {
  Deployment after;  ///< template and annotations as they shall be
  bool replaces_template = false;
  std::string reason;  ///< of the event; a warning unless the template is replaced
  std::string message;
};

/// `sets`: all of the Deployment's, oldest first, the new one last.
RollbackPlan PlanRollback(const Deployment& deployment, int64_t revision,
                          const std::vector<const ReplicaSet*>& sets);

}  // namespace capstan::deployment
