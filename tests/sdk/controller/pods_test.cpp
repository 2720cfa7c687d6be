#include <capstan/controller/pods.h>

#include <gtest/gtest.h>

#include <chrono>

namespace capstan {
namespace {

using api::Time;
using api::core::v1::Pod;

constexpr int64_t kPodsNow = 1'800'000'000;

WallTime PodsNow() { return WallTime(std::chrono::seconds(kPodsNow)); }

Pod ReadyPod(int64_t for_seconds) {
  Pod pod;
  pod.status.phase = "Running";
  pod.status.conditions = {{.type = "Ready",
                            .status = "True",
                            .lastTransitionTime = Time::FromSeconds(kPodsNow - for_seconds)}};
  return pod;
}

TEST(PodFacts, DistinguishActiveTerminatingAndFinishedPods) {
  Pod pod = ReadyPod(60);
  EXPECT_TRUE(IsActive(pod));
  EXPECT_FALSE(IsTerminating(pod));
  EXPECT_FALSE(IsFinished(pod));
  pod.metadata.deletionTimestamp = Time::FromSeconds(kPodsNow);
  EXPECT_FALSE(IsActive(pod));
  EXPECT_TRUE(IsTerminating(pod));
  for (const char* phase : {"Failed", "Succeeded"}) {
    pod.status.phase = phase;
    EXPECT_TRUE(IsFinished(pod));
    EXPECT_FALSE(IsTerminating(pod));
    EXPECT_FALSE(IsActive(pod));
  }
}

TEST(PodFacts, ReadReadinessFromTheConditionOnly) {
  Pod pod = ReadyPod(60);
  EXPECT_TRUE(IsReady(pod));
  EXPECT_EQ(ReadySince(pod), Time::FromSeconds(kPodsNow - 60));
  pod.status.conditions[0].status = "Unknown";
  EXPECT_FALSE(IsReady(pod));
  EXPECT_TRUE(ReadySince(pod).IsZero());
}

TEST(PodFacts, TreatAPodAsAvailableAfterMinReadySeconds) {
  Pod pod = ReadyPod(9);
  EXPECT_TRUE(IsAvailable(pod, 0, PodsNow()));
  EXPECT_TRUE(IsAvailable(pod, 9, PodsNow()));
  EXPECT_FALSE(IsAvailable(pod, 10, PodsNow()));
  EXPECT_EQ(AvailableIn(pod, 10, PodsNow()), Duration(std::chrono::seconds(1)));
  EXPECT_EQ(AvailableIn(pod, 9, PodsNow()), std::nullopt);
  pod.status.conditions[0].lastTransitionTime = Time::FromSeconds(253'402'300'799);
  EXPECT_FALSE(IsAvailable(pod, 10, PodsNow()));
  pod.status.conditions[0].lastTransitionTime = Time();
  EXPECT_FALSE(IsAvailable(pod, 10, PodsNow()));
  pod.status.conditions = {};
  EXPECT_FALSE(IsAvailable(pod, 0, PodsNow()));
}

}  // namespace
}  // namespace capstan
