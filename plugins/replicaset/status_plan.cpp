#include "status_plan.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <capstan/api/raw_json_memo.h>
#include <capstan/controller/conditions.h>

namespace capstan::replicaset {
namespace {

bool HasAll(const StringMap& labels, const StringMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const StringMap::Entry& entry) {
    const std::string* value = labels.Find(entry.key);
    return value && *value == entry.value;
  });
}

StringMap TemplateLabels(const ReplicaSet& set) {
  static RawJsonMemo<StringMap> labels(
      [](const RawJson& pod_template) { return pod_template.StringMapAt("/metadata/labels"); });
  return labels.Of(set.spec.template_);
}

void SetFailure(const StatusInput& input, ReplicaSetStatus& status) {
  if (!input.failure) return RemoveCondition(status.conditions, kReplicaFailure);
  if (FindCondition(status.conditions, kReplicaFailure)) return;
  const int64_t surplus = static_cast<int64_t>(input.active.size()) - ReplicasOf(input.set);
  std::string_view reason;
  if (surplus != 0) reason = surplus < 0 ? "FailedCreate" : "FailedDelete";
  SetCondition(status.conditions, NewCondition<Condition>(kReplicaFailure, "True", reason,
                                                          *input.failure, Time(input.now)));
}

}  // namespace

ReplicaSetStatus CalculateStatus(const StatusInput& input) {
  const StringMap template_labels = TemplateLabels(input.set);
  int64_t fully_labeled = 0;
  int64_t ready = 0;
  int64_t available = 0;
  for (const PodPtr& pod : input.active) {
    if (HasAll(pod->metadata.labels, template_labels)) ++fully_labeled;
    if (IsReady(*pod)) ++ready;
    if (IsAvailable(*pod, input.set.spec.minReadySeconds, input.now)) ++available;
  }

  ReplicaSetStatus status = input.set.status;
  status.replicas = SaturatedInt32(static_cast<int64_t>(input.active.size()));
  status.fullyLabeledReplicas = SaturatedInt32(fully_labeled);
  status.readyReplicas = SaturatedInt32(ready);
  status.availableReplicas = SaturatedInt32(available);
  status.terminatingReplicas = SaturatedInt32(input.terminating);
  status.observedGeneration = input.set.metadata.generation;
  SetFailure(input, status);
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
  // A ready pod without a ready time is checked again.
  if (waiting && !next) next = std::chrono::seconds(min_ready_seconds);
  return next;
}

bool OnlyCountsDiffer(const ReplicaSetStatus& before, const ReplicaSetStatus& after) {
  const auto counts = [](const ReplicaSetStatus& status) {
    return std::tie(status.replicas, status.fullyLabeledReplicas, status.readyReplicas,
                    status.availableReplicas, status.terminatingReplicas,
                    status.observedGeneration);
  };
  return counts(before) != counts(after) &&
         std::equal(before.conditions.begin(), before.conditions.end(), after.conditions.begin(),
                    after.conditions.end(), SaysTheSame<Condition>);
}

}  // namespace capstan::replicaset
