#include "status_plan.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace capstan::replicaset {
namespace {

bool HasAll(const StringMap& labels, const StringMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const StringMap::Entry& entry) {
    const std::string* value = labels.Find(entry.key);
    return value && *value == entry.value;
  });
}

bool HasFailure(const ReplicaSetStatus& status) {
  return std::any_of(status.conditions.begin(), status.conditions.end(),
                     [](const Condition& c) { return c.type == kReplicaFailure; });
}

void RemoveFailure(ReplicaSetStatus& status) {
  for (auto* c = status.conditions.begin(); c != status.conditions.end();) {
    c = c->type == kReplicaFailure ? status.conditions.erase(c) : c + 1;
  }
}

void AddFailure(const StatusInput& input, ReplicaSetStatus& status) {
  const int64_t surplus = static_cast<int64_t>(input.active.size()) - ReplicasOf(input.set);
  Condition condition;
  condition.type = kReplicaFailure;
  condition.status = "True";
  condition.lastTransitionTime = Time(input.now);
  if (surplus != 0) condition.reason = surplus < 0 ? "FailedCreate" : "FailedDelete";
  condition.message = *input.failure;
  status.conditions.push_back(std::move(condition));
}

}  // namespace

ReplicaSetStatus CalculateStatus(const StatusInput& input) {
  const StringMap template_labels = input.set.spec.template_.StringMapAt("/metadata/labels");
  int64_t fully_labeled = 0;
  int64_t ready = 0;
  int64_t available = 0;
  for (const PodPtr& pod : input.active) {
    if (HasAll(pod->metadata.labels, template_labels)) ++fully_labeled;
    if (IsReady(*pod)) ++ready;
    if (IsAvailable(*pod, input.set.spec.minReadySeconds, input.now)) ++available;
  }

  ReplicaSetStatus status = input.set.status;
  status.replicas = ToInt32(static_cast<int64_t>(input.active.size()));
  status.fullyLabeledReplicas = ToInt32(fully_labeled);
  status.readyReplicas = ToInt32(ready);
  status.availableReplicas = ToInt32(available);
  status.terminatingReplicas = ToInt32(input.terminating);
  status.observedGeneration = input.set.metadata.generation;
  const bool failed_before = HasFailure(status);
  if (input.failure && !failed_before) AddFailure(input, status);
  if (!input.failure && failed_before) RemoveFailure(status);
  return status;
}

std::optional<Duration> NextAvailabilityCheck(const ReplicaSet& set,
                                              const std::vector<PodPtr>& active, WallTime now) {
  const int32_t min_ready_seconds = set.spec.minReadySeconds;
  if (min_ready_seconds <= 0) return std::nullopt;
  std::optional<Duration> next;
  bool waiting = false;
  for (const PodPtr& pod : active) {
    if (!IsReady(*pod) || IsAvailable(*pod, min_ready_seconds, now)) continue;
    waiting = true;
    const std::optional<Duration> left = AvailableIn(*pod, min_ready_seconds, now);
    if (left && (!next || *left < *next)) next = left;
  }
  // A pod that does not tell since when it is ready is asked again.
  if (waiting && !next) next = std::chrono::seconds(min_ready_seconds);
  return next;
}

bool OnlyCountsDiffer(const ReplicaSetStatus& before, const ReplicaSetStatus& after) {
  const auto counts = [](const ReplicaSetStatus& status) {
    return std::tie(status.replicas, status.fullyLabeledReplicas, status.readyReplicas,
                    status.availableReplicas, status.terminatingReplicas,
                    status.observedGeneration);
  };
  const auto same = [](const Condition& a, const Condition& b) {
    return a.type == b.type && a.status == b.status && a.reason == b.reason &&
           a.message == b.message;
  };
  return counts(before) != counts(after) &&
         std::equal(before.conditions.begin(), before.conditions.end(), after.conditions.begin(),
                    after.conditions.end(), same);
}

}  // namespace capstan::replicaset
