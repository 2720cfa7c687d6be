#include "view.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace capstan::scenarios {
namespace {

constexpr std::string_view kHashLabel = "pod-template-hash";

void Describe(std::ostream& out, const Deployment& deployment) {
  const auto& status = deployment.status;
  out << "  deployment " << deployment.metadata.name << ": replicas "
      << deployment.spec.replicas.value_or(1) << ", generation " << deployment.metadata.generation
      << "; status: observed " << status.observedGeneration << ", replicas " << status.replicas
      << ", updated " << status.updatedReplicas << ", ready " << status.readyReplicas
      << ", available " << status.availableReplicas;
  for (const auto& condition : status.conditions) {
    out << ", " << condition.type.view() << "=" << condition.status.view() << " ("
        << condition.reason.view() << ": " << condition.message << ")";
  }
  out << "\n";
}

void Describe(std::ostream& out, const ReplicaSet& replica_set) {
  const auto& status = replica_set.status;
  out << "  replicaset " << replica_set.metadata.name << ": replicas "
      << replica_set.spec.replicas.value_or(1) << "; status: observed " << status.observedGeneration
      << ", replicas " << status.replicas << ", ready " << status.readyReplicas << ", available "
      << status.availableReplicas << "\n";
}

void Describe(std::ostream& out, const Pod& pod) {
  const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
  out << "  pod " << pod.metadata.name << ": " << pod.status.phase.view()
      << (IsReady(pod) ? ", ready" : "") << (IsActive(pod) ? "" : ", ending")
      << (pod.spec.nodeName.empty() ? ", not bound" : "") << ", controlled by "
      << (owner != nullptr ? owner->name.view() : "nobody") << "\n";
}

}  // namespace

bool IsActive(const Pod& pod) {
  return pod.metadata.deletionTimestamp.IsZero() && !(pod.status.phase == "Succeeded") &&
         !(pod.status.phase == "Failed");
}

bool IsReady(const Pod& pod) {
  return std::any_of(pod.status.conditions.begin(), pod.status.conditions.end(),
                     [](const auto& condition) {
                       return condition.type == "Ready" && condition.status == "True";
                     });
}

int64_t View::SpecReplicas() const {
  int64_t sum = 0;
  for (const auto& replica_set : replica_sets) sum += replica_set->spec.replicas.value_or(1);
  return sum;
}

int64_t View::ActivePods() const {
  return std::count_if(pods.begin(), pods.end(), [](const auto& pod) { return IsActive(*pod); });
}

int64_t View::AvailablePods() const {
  return std::count_if(pods.begin(), pods.end(),
                       [](const auto& pod) { return IsReadyAndActive(*pod); });
}

std::set<std::string> View::PodHashes() const {
  std::set<std::string> hashes;
  for (const auto& pod : pods) hashes.emplace(pod->metadata.labels.Get(kHashLabel));
  return hashes;
}

std::set<std::string> View::PodNames() const {
  std::set<std::string> names;
  for (const auto& pod : pods) names.insert(pod->metadata.name);
  return names;
}

std::string View::ToString() const {
  std::ostringstream out;
  if (deployment) Describe(out, *deployment);
  for (const auto& replica_set : replica_sets) Describe(out, *replica_set);
  for (const auto& pod : pods) Describe(out, *pod);
  return out.str().empty() ? "  nothing\n" : out.str();
}

bool IsComplete(const View& view, int64_t replicas) {
  if (!view.deployment) return false;
  const Deployment& deployment = *view.deployment;
  const bool has_one_replica_set =
      view.SpecReplicas() == replicas &&
      (replicas == 0 || std::any_of(view.replica_sets.begin(), view.replica_sets.end(),
                                    [&](const auto& replica_set) {
                                      return replica_set->spec.replicas.value_or(1) == replicas;
                                    }));
  return has_one_replica_set &&
         deployment.status.observedGeneration == deployment.metadata.generation &&
         deployment.status.replicas == replicas && deployment.status.updatedReplicas == replicas &&
         deployment.status.availableReplicas == replicas && view.AvailablePods() == replicas &&
         static_cast<int64_t>(view.pods.size()) == replicas;
}

}  // namespace capstan::scenarios
