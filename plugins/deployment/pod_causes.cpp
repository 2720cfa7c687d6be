#include "pod_causes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <capstan/api/object.h>

#include "pod_trouble.h"

namespace capstan::deployment {
namespace {

constexpr size_t kMostCauses = 5;
constexpr Duration kFailureIsYoung = std::chrono::minutes(10);

struct Cause {
  Explanation::Detail detail;
  bool needs_help = false;
};

bool IsOldFailure(const DetailedPod& pod, WallTime now) {
  return (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") &&
         pod.metadata.creationTimestamp < Time(now - kFailureIsYoung);
}

// The oldest pod represents all pods with its reason.
void Add(const DetailedPod& pod, PodTrouble trouble, std::map<std::string, Cause>& causes) {
  auto [found, is_new] = causes.try_emplace(trouble.reason);
  Cause& cause = found->second;
  cause.needs_help = cause.needs_help || trouble.needs_help;
  if (!is_new) ++cause.detail.more;
  if (!is_new && cause.detail.since <= trouble.since) return;
  cause.detail.object = "pod/" + pod.metadata.name;
  cause.detail.reason = std::move(trouble.reason);
  cause.detail.message = std::move(trouble.message);
  cause.detail.since = trouble.since;
}

bool IsMoreSevere(const Cause& a, const Cause& b) {
  if (a.needs_help != b.needs_help) return a.needs_help;
  if (a.detail.more != b.detail.more) return a.detail.more > b.detail.more;
  return a.detail.reason < b.detail.reason;
}

}  // namespace

PodCauses CausesOf(const DetailedPods& pods, const ReplicaSet& set, WallTime now) {
  std::map<std::string, Cause> by_reason;
  for (const auto& pod : pods) {
    if (!api::IsControlledBy(pod->metadata, set.metadata.uid) || IsOldFailure(*pod, now)) continue;
    if (auto trouble = TroubleOf(*pod, set.spec.minReadySeconds, now)) {
      Add(*pod, *std::move(trouble), by_reason);
    }
  }
  std::vector<Cause> causes;
  causes.reserve(by_reason.size());
  for (auto& [reason, cause] : by_reason) causes.push_back(std::move(cause));
  std::sort(causes.begin(), causes.end(), IsMoreSevere);
  if (causes.size() > kMostCauses) causes.resize(kMostCauses);

  PodCauses result;
  result.needs_help = !causes.empty() && causes.front().needs_help;
  for (Cause& cause : causes) result.details.push_back(std::move(cause.detail));
  return result;
}

}  // namespace capstan::deployment
