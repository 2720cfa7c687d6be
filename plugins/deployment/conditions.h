#pragma once

/// Conditions of a Deployment's status.
/// https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status

#include <string>
#include <string_view>

#include "types.h"

namespace capstan::deployment {

/// The reason of Progressing once a rollout has made no progress for its progressDeadlineSeconds.
inline constexpr std::string_view kProgressDeadlineExceeded = "ProgressDeadlineExceeded";

/// Null when there is none of this type.
const Condition* FindCondition(const List<Condition>& conditions, std::string_view type);

/// With both times set to `now`.
Condition NewCondition(std::string_view type, std::string_view status, std::string_view reason,
                       std::string message, Time now);

/// Puts `condition` in the place of the one of its type, or at the end. One of the same status and
/// reason stays as it is, message and times too; one of the same status keeps its transition time.
void SetCondition(List<Condition>& conditions, Condition condition);

/// As SetCondition, but one of the same status and reason is replaced too.
void ReplaceCondition(List<Condition>& conditions, Condition condition);

void RemoveCondition(List<Condition>& conditions, std::string_view type);

}  // namespace capstan::deployment
