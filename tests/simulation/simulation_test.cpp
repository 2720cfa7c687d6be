#include "simulation.h"

#include <gtest/gtest.h>

namespace capstan::simulation {
namespace {

TEST(Simulation, TheSameSeedGivesTheSameHistory) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const History first = Simulate(seed, true);
    const History second = Simulate(seed, true);
    EXPECT_FALSE(first.trace.empty());
    ASSERT_EQ(first.trace.size(), second.trace.size()) << "seed " << seed;
    for (size_t i = 0; i < first.trace.size(); ++i) {
      ASSERT_EQ(first.trace[i], second.trace[i]) << "seed " << seed;
    }
  }
}

TEST(Simulation, AnotherSeedGivesAnotherHistory) {
  EXPECT_NE(Simulate(7, true).trace, Simulate(8, true).trace);
}

TEST(Simulation, ChecksTheRules) {
  size_t checks = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) checks += Simulate(seed, false).checks;
  EXPECT_GT(checks, 100U);
}

}  // namespace
}  // namespace capstan::simulation
