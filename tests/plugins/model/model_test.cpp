// Visits every state of small clusters with the controllers' own plan functions. The rules hold in
// each state. From each state, without further users and failures, every run ends in the desired
// state.
//
// The steps of the controllers are syncs, complete or cut short by a crash. The cache shows changes
// later or at once. Writes are checked against the server's state, as by resourceVersion. The
// controllers see pods at once; delays of pods are covered by the tests of expectations and by the
// simulation.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "search.h"

namespace capstan::model {
namespace {

// Environment variables: CAPSTAN_MODEL_REPLICAS is the number of additional replicas in each model,
// and CAPSTAN_MODEL_STATES is the maximum number of states.
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
    EXPECT_TRUE(outcome.exhausted) << bounds.name << ": more states than " << most;
  }
}

TEST(RollingUpdateModel, HoldsItsInvariantsWithUserChanges) {
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

TEST(RollingUpdateModel, HoldsItsInvariantsWithFailingPods) {
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

TEST(RollingUpdateModel, HoldsItsInvariantsWithRestartsAndALaggingCache) {
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

TEST(RecreateModel, HoldsItsInvariantsWithAllEvents) {
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
