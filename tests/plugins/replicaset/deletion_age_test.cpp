#include "replicaset/deletion_age.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"

namespace capstan::replicaset {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PodPtr Aged(std::string_view name, int64_t seconds, bool ready = true) {
  Pod pod = PodOf(name);
  pod.metadata.creationTimestamp = TimeAt(-seconds);
  if (!ready) pod.status.conditions[0].status = "False";
  return Share(pod);
}

TEST(DeletionAgeRatios, DividesTheAgeOfEachPodByTheYoungestAge) {
  const auto old = Aged("old", 399);
  const auto young = Aged("young", 100);
  EXPECT_THAT(DeletionAgeRatios({old, young}, {old, young}, At(0)), ElementsAre(3, 1));
}

TEST(DeletionAgeRatios, CountsReadyPodsOnly) {
  const auto ready = Aged("ready", 100);
  const auto unready = Aged("unready", 10, false);
  EXPECT_THAT(DeletionAgeRatios({ready, unready}, {unready, ready}, At(0)), ElementsAre(1));
  EXPECT_THAT(DeletionAgeRatios({unready}, {unready}, At(0)), IsEmpty());
}

TEST(DeletionAgeRatios, IsEmptyWhenTheYoungestAgeIsZero) {
  const auto old = Aged("old", 100);
  const auto fresh = Aged("fresh", 0);
  EXPECT_THAT(DeletionAgeRatios({old, fresh}, {old}, At(0)), IsEmpty());
}

}  // namespace
}  // namespace capstan::replicaset
