#include "observer.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace capstan::e2e {
namespace {

constexpr std::string_view kHashLabel = "pod-template-hash";

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

template <class T>
std::vector<std::shared_ptr<const T>> Typed(const Objects& objects) {
  std::vector<std::shared_ptr<const T>> typed;
  typed.reserve(objects.size());
  for (const auto& [name, object] : objects) {
    typed.push_back(std::static_pointer_cast<const T>(object));
  }
  return typed;
}

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
                       [](const auto& pod) { return IsActive(*pod) && IsReady(*pod); });
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

Observer::Observer(const Client& client, std::string namespace_) {
  deployments_.emplace(client, DescriptorOf<Deployment>(), namespace_,
                       [this](const Objects& objects) {
                         Record([&](View& view) {
                           auto deployments = Typed<Deployment>(objects);
                           view.deployment = deployments.empty() ? nullptr : deployments.front();
                         });
                       });
  replica_sets_.emplace(
      client, DescriptorOf<ReplicaSet>(), namespace_, [this](const Objects& objects) {
        Record([&](View& view) { view.replica_sets = Typed<ReplicaSet>(objects); });
      });
  pods_.emplace(client, DescriptorOf<Pod>(), namespace_, [this](const Objects& objects) {
    Record([&](View& view) { view.pods = Typed<Pod>(objects); });
  });
}

Observer::~Observer() = default;

template <class Change>
void Observer::Record(Change change) {
  MutexLock lock(mutex_);
  View view = history_.back();
  change(view);
  history_.push_back(std::move(view));
  changed_->NotifyAll();
}

View Observer::Now() const {
  MutexLock lock(mutex_);
  return history_.back();
}

std::vector<View> Observer::Since(size_t mark) const {
  MutexLock lock(mutex_);
  return {history_.begin() + static_cast<std::ptrdiff_t>(mark), history_.end()};
}

size_t Observer::Mark() const {
  MutexLock lock(mutex_);
  return history_.size() - 1;
}

testing::AssertionResult Observer::Eventually(std::string_view what, const Predicate& is,
                                              Duration timeout) const {
  const MonotonicTime deadline = SystemRuntime().Now() + timeout;
  for (size_t next = Mark();; ++next) {
    View view;
    {
      MutexLock lock(mutex_);
      while (next == history_.size()) {
        if (changed_->WaitUntil(mutex_, deadline) || next < history_.size()) continue;
        return testing::AssertionFailure()
               << "not within " << std::chrono::duration_cast<Seconds>(timeout).count()
               << " s: " << what << "; the last state is\n"
               << history_.back().ToString();
      }
      view = history_[next];
    }
    if (is(view)) return testing::AssertionSuccess();
  }
}

testing::AssertionResult Observer::Always(std::string_view what, size_t mark,
                                          const Predicate& is) const {
  const std::vector<View> history = Since(mark);
  for (size_t i = 0; i < history.size(); ++i) {
    if (is(history[i])) continue;
    return testing::AssertionFailure()
           << "not always: " << what << "; not in state " << i << " of " << history.size() << ",\n"
           << history[i].ToString() << "before which came\n"
           << (i > 0 ? history[i - 1].ToString() : "");
  }
  return testing::AssertionSuccess();
}

size_t Observer::PodsSince(size_t mark) const {
  std::set<Uid> pods;
  for (const View& view : Since(mark)) {
    for (const auto& pod : view.pods) pods.insert(pod->metadata.uid);
  }
  return pods.size();
}

}  // namespace capstan::e2e
