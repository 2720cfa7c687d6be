// Every state of small clusters, with the controllers' own plan functions. In each state the rules
// hold; from each, once users and misfortune leave it alone, every run ends where it should.
//
// The controllers' steps are syncs, whole or cut short by death, and what the cache shows comes
// later or at once. What a sync writes is checked against what the server has, as its
// resourceVersions are. Pods the controllers see at once; the tests of expectations and the
// simulation are for that.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "search.h"

namespace capstan::model {
namespace {

// In the environment, CAPSTAN_MODEL_REPLICAS is how many replicas each model has more, and
// CAPSTAN_MODEL_STATES how many states are searched at most.
size_t FromEnvironment(const char* name, size_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void Explore(Bounds bounds) {
  bounds.replicas =
      static_cast<uint8_t>(bounds.replicas + FromEnvironment("CAPSTAN_MODEL_REPLICAS", 0));
  const size_t most = FromEnvironment("CAPSTAN_MODEL_STATES", 4'000'000);
  const Outcome outcome = Search(bounds).Run(most);
  std::printf("%-58s %8zu states, %9zu steps, %6zu at rest, %6zu plans%s\n", bounds.name,
              outcome.states, outcome.steps, outcome.at_rest, outcome.plans,
              outcome.exhausted ? "" : " (not all)");
  std::fflush(stdout);
  EXPECT_TRUE(outcome.violation.empty()) << bounds.name << ": " << outcome.violation;
  if (std::getenv("CAPSTAN_MODEL_STATES") == nullptr) {
    EXPECT_TRUE(outcome.exhausted) << bounds.name << ": there are more states than " << most;
  }
}

TEST(ModelOfARollingUpdate, WithUsers) {
  Explore({.name = "A/B, 2 replicas, scaled", .images = 2, .replicas = 2});
  Explore({.name = "A/B, 4 replicas, one unavailable",
           .images = 2,
           .replicas = 4,
           .max_surge = 0,
           .max_unavailable = 1,
           .scales = false});
  Explore({.name = "A/B/C, 1 replica", .images = 3, .replicas = 1, .scales = false});
  Explore({.name = "A/B, 1 replica, scaled, paused, rolled back, none kept",
           .images = 2,
           .replicas = 1,
           .history_limit = 0,
           .pauses = true,
           .rolls_back = true});
}

TEST(ModelOfARollingUpdate, WithPodsThatFail) {
  Explore({.name = "A/B, 2 replicas, pods fail",
           .images = 2,
           .replicas = 2,
           .scales = false,
           .pods_fail = true});
  Explore({.name = "A/B, 1 replica, scaled, one unavailable, pods fail",
           .images = 2,
           .replicas = 1,
           .max_unavailable = 1,
           .pods_fail = true});
}

TEST(ModelOfARollingUpdate, WithRestartsAndACacheThatLags) {
  Explore({.name = "A/B, 2 replicas, rolled back, restarts",
           .images = 2,
           .replicas = 2,
           .scales = false,
           .rolls_back = true,
           .restarts = true});
  Explore({.name = "A/B, 1 replica, restarts, lags",
           .images = 2,
           .replicas = 1,
           .scales = false,
           .restarts = true,
           .lags = true});
}

TEST(ModelOfARecreation, WithAllThatMayHappen) {
  Explore({.name = "A/B/C, 1 replica, recreates",
           .images = 3,
           .replicas = 1,
           .recreates = true,
           .scales = false});
  Explore({.name = "A/B, 1 replica, recreates, scaled, paused, restarts",
           .images = 2,
           .replicas = 1,
           .recreates = true,
           .pauses = true,
           .restarts = true});
  Explore({.name = "A/B, 1 replica, recreates, restarts, lags",
           .images = 2,
           .replicas = 1,
           .recreates = true,
           .scales = false,
           .restarts = true,
           .lags = true});
  Explore({.name = "A/B, 1 replica, recreates, rolled back, pods fail",
           .images = 2,
           .replicas = 1,
           .recreates = true,
           .scales = false,
           .rolls_back = true,
           .pods_fail = true});
}

}  // namespace
}  // namespace capstan::model
