#pragma once

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "watcher.h"

namespace capstan::e2e {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;

// A namespace that holds one Deployment, as it is at one moment of the API server's history. The
// three kinds are watched apart: each is exact, but they may be some milliseconds apart.
struct View {
  std::shared_ptr<const Deployment> deployment;  // may be null
  std::vector<std::shared_ptr<const ReplicaSet>> replica_sets;
  std::vector<std::shared_ptr<const Pod>> pods;

  // Sum of the ReplicaSets' spec.replicas.
  int64_t SpecReplicas() const;
  // Pods that neither end nor have ended; pods that are Ready besides.
  int64_t ActivePods() const;
  int64_t AvailablePods() const;
  // The pod-template-hash of each pod that exists, ending ones included.
  std::set<std::string> PodHashes() const;
  std::set<std::string> PodNames() const;
  // All there is to say about it, a line an object.
  std::string ToString() const;
};

// True when nothing is left to do: the status is about the newest generation, one ReplicaSet has
// all replicas, and exactly that many pods exist and are available.
bool IsComplete(const View& view, int64_t replicas);

// Records every state that a namespace goes through, so that a test can wait for a state and can
// claim something of all of them.
class Observer {
 public:
  using Predicate = std::function<bool(const View&)>;

  Observer(const Client& client, std::string namespace_);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  View Now() const;
  // Waits for a state, from the present one on, in which `is` holds; a failure shows the last one.
  // A change that was made just now may not have been observed yet: let `is` ask for its effect.
  testing::AssertionResult Eventually(std::string_view what, const Predicate& is,
                                      Duration timeout = Seconds(60)) const;
  // A place in the recording, for Always.
  size_t Mark() const;
  // Whether `is` has held in every state from `mark` on; a failure shows the first where it did not
  // and the one before.
  testing::AssertionResult Always(std::string_view what, size_t mark, const Predicate& is) const;
  // How many different pods have existed since `mark`.
  size_t PodsSince(size_t mark) const;

 private:
  std::vector<View> Since(size_t mark) const;
  template <class Change>
  void Record(Change change);

  const std::unique_ptr<Condition> changed_ = SystemRuntime().NewCondition();
  mutable Mutex mutex_;
  std::vector<View> history_ CAPSTAN_GUARDED_BY(mutex_){View{}};
  // Last: they are the first to go.
  std::optional<Watcher> pods_;
  std::optional<Watcher> replica_sets_;
  std::optional<Watcher> deployments_;
};

}  // namespace capstan::e2e
