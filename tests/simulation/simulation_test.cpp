#include "simulation.h"

#include <gtest/gtest.h>

namespace capstan::simulation {
namespace {

TEST(Simulation, OfTheSameSeedIsTheSameHistory) {
  const History first = Simulate(7, true);
  const History second = Simulate(7, true);
  EXPECT_FALSE(first.trace.empty());
  EXPECT_EQ(first.trace, second.trace);
}

TEST(Simulation, OfAnotherSeedIsAnotherHistory) {
  EXPECT_NE(Simulate(7, true).trace, Simulate(8, true).trace);
}

TEST(Simulation, LooksAtTheRules) {
  size_t checks = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) checks += Simulate(seed, false).checks;
  EXPECT_GT(checks, 100U);
}

}  // namespace
}  // namespace capstan::simulation
