#include "cluster.h"

#include <utility>

namespace capstan::simulation {
namespace {

using scenarios::IsActive;
using scenarios::IsReadyAndActive;
using scenarios::View;

template <class T>
std::vector<std::shared_ptr<const T>> ListOf(const Client& client,
                                             std::string_view namespace_name) {
  auto all = client.ListAll<T>(namespace_name);
  return all ? *std::move(all) : std::vector<std::shared_ptr<const T>>();
}

template <class T>
const T* Named(const std::vector<std::shared_ptr<const T>>& objects, std::string_view name) {
  for (const auto& object : objects) {
    if (object->metadata.name == name) return object.get();
  }
  return nullptr;
}

template <class T>
const T* OwnerIn(const std::vector<std::shared_ptr<const T>>& objects,
                 const api::ObjectMeta& metadata) {
  const api::OwnerReference* owner = api::ControllerOf(metadata);
  if (owner == nullptr) return nullptr;
  for (const auto& object : objects) {
    if (object->metadata.uid == owner->uid) return object.get();
  }
  return nullptr;
}

bool Matches(const api::LabelSelector& selector, const api::ObjectMeta& metadata) {
  const auto parsed = Selector::From(selector);
  return parsed && parsed->Matches(metadata.labels);
}

}  // namespace

Cluster::Cluster(const Client& client, std::string_view namespace_name)
    : deployments_(ListOf<Deployment>(client, namespace_name)),
      replica_sets_(ListOf<ReplicaSet>(client, namespace_name)),
      pods_(ListOf<Pod>(client, namespace_name)) {}

const Deployment* Cluster::DeploymentNamed(std::string_view name) const {
  return Named(deployments_, name);
}
const ReplicaSet* Cluster::ReplicaSetNamed(std::string_view name) const {
  return Named(replica_sets_, name);
}
const Pod* Cluster::PodNamed(std::string_view name) const { return Named(pods_, name); }
const Deployment* Cluster::OwnerOf(const ReplicaSet& replica_set) const {
  return OwnerIn(deployments_, replica_set.metadata);
}
const ReplicaSet* Cluster::OwnerOf(const Pod& pod) const {
  return OwnerIn(replica_sets_, pod.metadata);
}

int64_t Cluster::ReplicasOf(const Deployment& deployment) const {
  int64_t sum = 0;
  for (const auto& replica_set : replica_sets_) {
    if (OwnerOf(*replica_set) == &deployment) sum += replica_set->spec.replicas.value_or(1);
  }
  return sum;
}

int64_t Cluster::CountPods(const ReplicaSet& replica_set,
                           const std::function<bool(const Pod&)>& counts) const {
  int64_t count = 0;
  for (const auto& pod : pods_) {
    if (api::IsControlledBy(pod->metadata, replica_set.metadata.uid) && counts(*pod)) ++count;
  }
  return count;
}

std::string Cluster::Unfinished() const {
  std::string why;
  for (const auto& deployment : deployments_) why += Unfinished(*deployment);
  for (const auto& replica_set : replica_sets_) why += Unfinished(*replica_set);
  for (const auto& pod : pods_) why += Unfinished(*pod);
  return why;
}

std::string Cluster::Unfinished(const Deployment& deployment) const {
  const std::string who = "deployment " + deployment.metadata.name + ": ";
  if (!deployment.metadata.deletionTimestamp.IsZero()) return who + "is being deleted\n";
  const auto& status = deployment.status;
  const int32_t replicas = deployment.spec.replicas.value_or(1);
  if (status.observedGeneration != deployment.metadata.generation) {
    return who + "the status is about an older generation\n";
  }
  if (status.replicas != replicas || status.updatedReplicas != replicas ||
      status.readyReplicas != replicas || status.availableReplicas != replicas ||
      status.unavailableReplicas != 0) {
    return who + "the status does not report completion\n";
  }
  // The ReplicaSet with the newest revision has all replicas.
  constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
  const std::string_view revision = deployment.metadata.annotations.Get(kRevision);
  for (const auto& replica_set : replica_sets_) {
    if (OwnerOf(*replica_set) != &deployment) {
      if (Matches(deployment.spec.selector, replica_set->metadata) &&
          api::ControllerOf(replica_set->metadata) == nullptr) {
        return who + replica_set->metadata.name + " is not adopted\n";
      }
      continue;
    }
    const bool is_newest = replica_set->metadata.annotations.Get(kRevision) == revision;
    if (replica_set->spec.replicas.value_or(1) != (is_newest ? replicas : 0)) {
      return who + replica_set->metadata.name + " has a wrong number of replicas\n";
    }
  }
  return "";
}

std::string Cluster::Unfinished(const ReplicaSet& replica_set) const {
  const std::string who = "replicaset " + replica_set.metadata.name + ": ";
  if (!replica_set.metadata.deletionTimestamp.IsZero()) return who + "is being deleted\n";
  if (api::ControllerOf(replica_set.metadata) != nullptr && OwnerOf(replica_set) == nullptr) {
    return who + "its Deployment is gone\n";
  }
  const auto& status = replica_set.status;
  const int32_t replicas = replica_set.spec.replicas.value_or(1);
  if (status.observedGeneration != replica_set.metadata.generation) {
    return who + "the status is about an older generation\n";
  }
  if (CountPods(replica_set, IsActive) != replicas ||
      CountPods(replica_set, IsReadyAndActive) != replicas) {
    return who + "the pods do not match its spec\n";
  }
  if (status.replicas != replicas || status.readyReplicas != replicas ||
      status.availableReplicas != replicas) {
    return who + "the status is wrong\n";
  }
  return "";
}

std::string Cluster::Unfinished(const Pod& pod) const {
  const std::string who = "pod " + pod.metadata.name + ": ";
  if (!pod.metadata.deletionTimestamp.IsZero()) return who + "is being deleted\n";
  if (api::ControllerOf(pod.metadata) != nullptr) {
    return OwnerOf(pod) != nullptr ? "" : who + "its ReplicaSet is gone\n";
  }
  if (!IsActive(pod)) return "";
  for (const auto& replica_set : replica_sets_) {
    if (Matches(replica_set->spec.selector, pod.metadata)) return who + "is not adopted\n";
  }
  return "";
}

std::string Cluster::ToString() const {
  std::string text;
  for (const auto& deployment : deployments_) {
    View view;
    view.deployment = deployment;
    text += view.ToString();
  }
  View view;
  view.replica_sets = replica_sets_;
  view.pods = pods_;
  return text + view.ToString();
}

}  // namespace capstan::simulation
