#pragma once

/// Conditions of an object's status: finds, sets and removes them by type.
///
///     SetCondition(status.conditions, NewCondition<DeploymentCondition>(
///                                         "Available", "True", "MinimumReplicasAvailable",
///                                         "Deployment has minimum availability.", now));
///
/// The functions accept the condition struct of any kind. The struct must have `type`, `status` and
/// `lastTransitionTime`. `reason`, `message`, `lastUpdateTime` and `unknown`
/// (CAPSTAN_UNKNOWN_MEMBERS) are used if the struct has them.
///
/// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
///
/// Threads: the functions are stateless.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/api/list.h>
#include <capstan/api/time.h>

namespace capstan {

template <class C>
concept ApiCondition = requires(C condition, std::string_view text) {
  condition.type = text;
  condition.status = text;
  condition.lastTransitionTime = api::Time();
};

/// Returns the condition of this type, or null.
template <ApiCondition C>
const C* FindCondition(const List<C>& conditions, std::string_view type) {
  const C* found = std::find_if(conditions.begin(), conditions.end(),
                                [&](const C& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : found;
}
template <ApiCondition C>
C* FindCondition(List<C>& conditions, std::string_view type) {
  return const_cast<C*>(FindCondition(std::as_const(conditions), type));
}

/// Returns whether a condition of this type has the status "True".
template <ApiCondition C>
bool IsConditionTrue(const List<C>& conditions, std::string_view type) {
  const C* found = FindCondition(conditions, type);
  return found && found->status == "True";
}

/// Creates a condition with all its times set to `now`. `status` is "True", "False" or "Unknown".
template <ApiCondition C>
C NewCondition(std::string_view type, std::string_view status, std::string_view reason,
               std::string message, api::Time now) {
  C condition;
  condition.type = type;
  condition.status = status;
  condition.lastTransitionTime = now;
  if constexpr (requires { condition.lastUpdateTime; }) condition.lastUpdateTime = now;
  condition.reason = reason;
  condition.message = std::move(message);
  return condition;
}

/// Replaces the condition of the same type, or appends `condition`. If the status does not change,
/// the lastTransitionTime does not change either. Members that the struct does not describe are
/// kept. (apimachinery's meta.SetStatusCondition)
template <ApiCondition C>
void ReplaceCondition(List<C>& conditions, C condition) {
  C* current = FindCondition(conditions, condition.type);
  if (!current) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (current->status == condition.status) {
    condition.lastTransitionTime = current->lastTransitionTime;
  }
  if constexpr (requires { condition.unknown; }) condition.unknown = current->unknown;
  *current = std::move(condition);
}

/// Like ReplaceCondition, but does not change a condition with the same status and reason: its
/// message and times stay. The controllers of apps/v1 do this. (SetDeploymentCondition and
/// replicaset.SetCondition of kube-controller-manager)
template <ApiCondition C>
void SetCondition(List<C>& conditions, C condition) {
  const C* current = FindCondition(std::as_const(conditions), condition.type);
  if (current && current->status == condition.status && current->reason == condition.reason) return;
  ReplaceCondition(conditions, std::move(condition));
}

/// Removes all conditions of this type.
template <ApiCondition C>
void RemoveCondition(List<C>& conditions, std::string_view type) {
  while (C* found = FindCondition(conditions, type)) conditions.erase(found);
}

/// Returns whether both are equal apart from their times.
template <ApiCondition C>
bool SaysTheSame(const C& a, const C& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason && a.message == b.message;
}

}  // namespace capstan
