#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/mutex.h>
#include <gtest/gtest.h>

#include "view.h"
#include "watcher.h"
#include "world.h"

namespace capstan::scenarios {

// Records every state of a namespace, so that a test can wait for a state or check all of them.
class Observer {
 public:
  using Predicate = std::function<bool(const View&)>;

  explicit Observer(World& world);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  View Now() const;
  // Waits for a state in which `is` holds, starting with the current one. A failure shows the last
  // state. A change made just before may not have been observed yet, so `is` should check its
  // effect.
  ::testing::AssertionResult Eventually(std::string_view what, const Predicate& is,
                                        Duration timeout = Seconds(60)) const;
  // A position in the recording, for Always.
  size_t Mark() const;
  // Whether `is` held in every state since `mark`. A failure shows the first state in which it did
  // not, and the one before.
  ::testing::AssertionResult Always(std::string_view what, size_t mark, const Predicate& is) const;
  // The number of different pods that have existed since `mark`.
  size_t PodsSince(size_t mark) const;

 private:
  std::vector<View> Since(size_t mark) const;
  // Whether `is` holds in a state from `next` on. Moves `next` past the states that were checked.
  bool Holds(const Predicate& is, size_t& next) const;
  template <class Change>
  void Record(Change change);

  World& world_;
  mutable Mutex mutex_;
  std::vector<View> history_ CAPSTAN_GUARDED_BY(mutex_){View{}};
  // Declared last, so they are destroyed first.
  std::optional<Watcher> pods_;
  std::optional<Watcher> replica_sets_;
  std::optional<Watcher> deployments_;
};

}  // namespace capstan::scenarios
