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

// Records every state that a namespace goes through, so that a test can wait for a state and can
// claim something of all of them.
class Observer {
 public:
  using Predicate = std::function<bool(const View&)>;

  explicit Observer(World& world);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  View Now() const;
  // Waits for a state, from the present one on, in which `is` holds; a failure shows the last one.
  // A change that was made just now may not have been observed yet: let `is` ask for its effect.
  ::testing::AssertionResult Eventually(std::string_view what, const Predicate& is,
                                        Duration timeout = Seconds(60)) const;
  // A place in the recording, for Always.
  size_t Mark() const;
  // Whether `is` has held in every state from `mark` on; a failure shows the first where it did not
  // and the one before.
  ::testing::AssertionResult Always(std::string_view what, size_t mark, const Predicate& is) const;
  // How many different pods have existed since `mark`.
  size_t PodsSince(size_t mark) const;

 private:
  std::vector<View> Since(size_t mark) const;
  // Whether `is` holds in a state from `next` on, which it moves behind those that it looked at.
  bool Holds(const Predicate& is, size_t& next) const;
  template <class Change>
  void Record(Change change);

  World& world_;
  mutable Mutex mutex_;
  std::vector<View> history_ CAPSTAN_GUARDED_BY(mutex_){View{}};
  // Last: they are the first to go.
  std::optional<Watcher> pods_;
  std::optional<Watcher> replica_sets_;
  std::optional<Watcher> deployments_;
};

}  // namespace capstan::scenarios
