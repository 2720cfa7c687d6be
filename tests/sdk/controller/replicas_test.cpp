#include <capstan/controller/replicas.h>

#include <gtest/gtest.h>

#include <capstan/api/apps_v1.h>

namespace capstan {
namespace {

TEST(Replicas, DefaultToOneAndAreNeverNegative) {
  api::apps::v1::ReplicaSet set;
  EXPECT_EQ(ReplicasOf(set), 1);
  set.spec.replicas = 0;
  EXPECT_EQ(ReplicasOf(set), 0);
  set.spec.replicas = -3;
  EXPECT_EQ(ReplicasOf(set), 0);
  api::apps::v1::Deployment deployment;
  deployment.spec.replicas = 2'147'483'647;
  EXPECT_EQ(ReplicasOf(deployment) + 1, 2'147'483'648);
}

TEST(SaturatedInt32, IsTheNearestInt32) {
  EXPECT_EQ(SaturatedInt32(-7), -7);
  EXPECT_EQ(SaturatedInt32(2'147'483'647), 2'147'483'647);
  EXPECT_EQ(SaturatedInt32(2'147'483'648), 2'147'483'647);
  EXPECT_EQ(SaturatedInt32(std::numeric_limits<int64_t>::max()), 2'147'483'647);
  EXPECT_EQ(SaturatedInt32(-2'147'483'649), -2'147'483'647 - 1);
}

}  // namespace
}  // namespace capstan
