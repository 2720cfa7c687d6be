#include "conditions.h"

#include <algorithm>
#include <utility>

namespace capstan::deployment {
namespace {

Condition* Find(List<Condition>& conditions, std::string_view type) {
  auto* found = std::find_if(conditions.begin(), conditions.end(),
                             [&](const Condition& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : found;
}

}  // namespace

const Condition* FindCondition(const List<Condition>& conditions, std::string_view type) {
  const auto* found = std::find_if(conditions.begin(), conditions.end(),
                                   [&](const Condition& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : found;
}

Condition NewCondition(std::string_view type, std::string_view status, std::string_view reason,
                       std::string message, Time now) {
  Condition condition;
  condition.type = type;
  condition.status = status;
  condition.lastUpdateTime = now;
  condition.lastTransitionTime = now;
  condition.reason = reason;
  condition.message = std::move(message);
  return condition;
}

void SetCondition(List<Condition>& conditions, Condition condition) {
  const Condition* current = FindCondition(conditions, condition.type);
  if (current && current->status == condition.status && current->reason == condition.reason) return;
  ReplaceCondition(conditions, std::move(condition));
}

void ReplaceCondition(List<Condition>& conditions, Condition condition) {
  Condition* current = Find(conditions, condition.type);
  if (!current) {
    conditions.push_back(std::move(condition));
    return;
  }
  if (current->status == condition.status) {
    condition.lastTransitionTime = current->lastTransitionTime;
  }
  condition.unknown = current->unknown;
  *current = std::move(condition);
}

void RemoveCondition(List<Condition>& conditions, std::string_view type) {
  while (Condition* found = Find(conditions, type)) conditions.erase(found);
}

}  // namespace capstan::deployment
