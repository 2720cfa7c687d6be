#include "deployment/pod_trouble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include <capstan/api/object.h>

#include "builders.h"

namespace capstan::deployment {
namespace {

using ::testing::HasSubstr;

// The trouble at At(100) of a pod on node n1 that was created at At(0).
std::optional<PodTrouble> TroubleWith(std::string_view status, int32_t min_ready_seconds = 0,
                                      std::string_view metadata = "",
                                      std::string_view node = "n1") {
  const std::string json = R"({"metadata":{"name":"p","creationTimestamp":")" +
                           TimeAt(0).ToString() + "\"" + std::string(metadata) +
                           R"(},"spec":{"nodeName":")" + std::string(node) + R"("},"status":{)" +
                           std::string(status) + "}}";
  const auto pod = FromJson<DetailedPod>(json);
  EXPECT_TRUE(pod.ok()) << pod.status().message() << "\n" << json;
  return pod ? TroubleOf(*pod, min_ready_seconds, At(100)) : std::nullopt;
}

std::string TimeText(int64_t seconds) { return "\"" + TimeAt(seconds).ToString() + "\""; }

std::string Containers(std::string_view containers) {
  return R"("phase":"Running","containerStatuses":[)" + std::string(containers) + "]";
}

std::string ReadySince(int64_t seconds) {
  return R"("phase":"Running","conditions":[{"type":"Ready","status":"True",
         "lastTransitionTime":)" +
         TimeText(seconds) + "}]";
}

TEST(PodTrouble, AReadyPodHasNone) {
  EXPECT_EQ(TroubleWith(ReadySince(99)), std::nullopt);
  EXPECT_EQ(TroubleWith(ReadySince(200)), std::nullopt);  // the other clock is ahead
  EXPECT_EQ(TroubleWith(ReadySince(90), 10), std::nullopt);
}

TEST(PodTrouble, APodBelowMinReadySecondsReportsTheSeconds) {
  const auto trouble = TroubleWith(ReadySince(95), 10);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "MinReadySeconds");
  EXPECT_EQ(trouble->message, "it has been ready for 5 of 10 seconds");
  EXPECT_FALSE(trouble->needs_help);
}

TEST(PodTrouble, AnUnscheduledPodQuotesTheScheduler) {
  const auto trouble =
      TroubleWith(R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
                  "reason":"Unschedulable","message":"0/3 nodes are available: 3 Insufficient cpu.",
                  "lastTransitionTime":)" +
                      TimeText(7) + "}]",
                  0, "", "");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "Unschedulable");
  EXPECT_EQ(trouble->message, "0/3 nodes are available: 3 Insufficient cpu.");
  EXPECT_EQ(trouble->since, TimeAt(7));
  EXPECT_TRUE(trouble->needs_help);
}

TEST(PodTrouble, APodThatNoSchedulerHasSeenIsReported) {
  const auto trouble = TroubleWith(R"("phase":"Pending")", 0, "", "");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "NotScheduled");
  EXPECT_EQ(trouble->since, TimeAt(0));
  EXPECT_FALSE(trouble->needs_help);
}

TEST(PodTrouble, AFailedImagePullQuotesTheKubelet) {
  const auto trouble =
      TroubleWith(Containers(R"({"name":"app","state":{"waiting":{"reason":"ImagePullBackOff",
                 "message":"Back-off pulling image \"x\""}}})"));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "ImagePullBackOff");
  EXPECT_EQ(trouble->message, "container \"app\": Back-off pulling image \"x\"");
  EXPECT_EQ(trouble->since, TimeAt(0));
  EXPECT_TRUE(trouble->needs_help);
}

TEST(PodTrouble, ACrashLoopReportsTheLastExit) {
  const auto trouble = TroubleWith(Containers(
      R"({"name":"app","restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff",
         "message":"back-off 5m0s"}},"lastState":{"terminated":{"exitCode":137,
         "reason":"OOMKilled","finishedAt":)" +
      TimeText(80) + "}}}"));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "CrashLoopBackOff");
  EXPECT_EQ(trouble->message,
            "container \"app\", restarted 7 times, last exit code 137 (OOMKilled): back-off 5m0s");
  EXPECT_EQ(trouble->since, TimeAt(80));
  EXPECT_TRUE(trouble->needs_help);
}

TEST(PodTrouble, AContainerBetweenTwoCrashesIsStillBlocked) {
  const std::string last = R"("lastState":{"terminated":{"exitCode":1}})";
  auto trouble = TroubleWith(
      Containers(R"({"name":"app","restartCount":1,"state":{"running":{}},)" + last + "}"));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "Restarting");
  EXPECT_EQ(trouble->message, "container \"app\", restarted once, last exit code 1");
  EXPECT_TRUE(trouble->needs_help);
  trouble = TroubleWith(
      Containers(R"({"name":"app","state":{"terminated":{"exitCode":2,"reason":"Error"}}})"));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "Error");
  EXPECT_EQ(trouble->message, "container \"app\": terminated with exit code 2 (Error)");
  EXPECT_TRUE(trouble->needs_help);
}

TEST(PodTrouble, AFailedProbeNamesTheContainer) {
  auto trouble = TroubleWith(Containers(R"({"name":"ok","ready":true,"state":{"running":{}}},
                 {"name":"app","started":true,"state":{"running":{"startedAt":)" +
                                        TimeText(60) + "}}}"));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "NotReady");
  EXPECT_EQ(trouble->message, "container \"app\" runs, but its readiness probe does not succeed");
  EXPECT_EQ(trouble->since, TimeAt(60));
  EXPECT_FALSE(trouble->needs_help);
  trouble = TroubleWith(Containers(R"({"name":"app","started":false,"state":{"running":{}}})"));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "StartupProbe");
}

TEST(PodTrouble, InitContainersAreReportedFirst) {
  const std::string waiting =
      R"(,"containerStatuses":[{"name":"app","state":{"waiting":{"reason":"PodInitializing"}}}])";
  auto trouble = TroubleWith(R"("phase":"Pending","initContainerStatuses":[{"name":"done",
      "state":{"terminated":{"exitCode":0}}},{"name":"init","state":{"running":{}}}])" +
                             waiting);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "Initializing");
  EXPECT_EQ(trouble->message, "init container \"init\" has not completed");
  EXPECT_FALSE(trouble->needs_help);
  trouble = TroubleWith(R"("phase":"Pending","initContainerStatuses":[{"name":"init",
      "state":{"terminated":{"exitCode":3}}}])" +
                        waiting);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->message, "init container \"init\": terminated with exit code 3");
  EXPECT_TRUE(trouble->needs_help);
}

TEST(PodTrouble, AContainerBeingCreatedIsNotBlocked) {
  const auto trouble = TroubleWith(
      R"("phase":"Pending","conditions":[{"type":"Ready","status":"False","lastTransitionTime":)" +
      TimeText(9) +
      R"(}],"containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ContainerCreating"}}}])");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "ContainerCreating");
  EXPECT_EQ(trouble->since, TimeAt(9));
  EXPECT_FALSE(trouble->needs_help);
}

TEST(PodTrouble, AReadinessGateQuotesTheCondition) {
  const auto trouble = TroubleWith(
      R"("phase":"Running","conditions":[{"type":"Ready","status":"False",
      "reason":"ReadinessGatesNotReady","message":"corresponding condition of pod readiness gate",
      "lastTransitionTime":)" +
      TimeText(9) +
      R"(}],"containerStatuses":[{"name":"app","ready":true,"state":{"running":{}}}])");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "ReadinessGatesNotReady");
  EXPECT_EQ(trouble->message, "corresponding condition of pod readiness gate");
}

TEST(PodTrouble, AnUnreachableNodeIsNamed) {
  auto trouble = TroubleWith(R"("phase":"Pending")");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->message, "node n1 has not started it yet");
  trouble = TroubleWith(Containers(R"({"name":"app","ready":true,"state":{"running":{}}})"));
  ASSERT_TRUE(trouble);
  EXPECT_THAT(trouble->message, HasSubstr("node n1 has not confirmed that it is ready"));
}

TEST(PodTrouble, ARejectedPodReportsTheReasonOfTheKubelet) {
  auto trouble = TroubleWith(
      R"("phase":"Failed","reason":"OutOfcpu","message":"Node didn't have enough resource: cpu")");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "OutOfcpu");
  EXPECT_EQ(trouble->message, "Node didn't have enough resource: cpu");
  EXPECT_TRUE(trouble->needs_help);
  trouble = TroubleWith(R"("phase":"Failed","containerStatuses":[{"name":"app","state":
      {"terminated":{"exitCode":1,"reason":"Error"}}}])");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "Failed");
  EXPECT_EQ(trouble->message, "container \"app\" terminated with exit code 1 (Error)");
}

TEST(PodTrouble, ADeletionIsBlockedOnlyByAFinalizerOrAnOverdueGracePeriod) {
  const auto deleted = [](int64_t at, std::string_view finalizers, std::string_view node = "n1") {
    return TroubleWith(R"("phase":"Running")", 0,
                       R"(,"deletionTimestamp":)" + TimeText(at) + R"(,"finalizers":[)" +
                           std::string(finalizers) + "]",
                       node);
  };
  EXPECT_EQ(deleted(90, "")->reason, "Terminating");
  EXPECT_EQ(deleted(90, "")->message, "it is being deleted on node n1");
  EXPECT_FALSE(deleted(40, "")->needs_help);
  EXPECT_TRUE(deleted(39, "")->needs_help);
  EXPECT_THAT(deleted(39, "")->message, HasSubstr("node n1 has not confirmed its termination"));
  EXPECT_TRUE(deleted(90, R"("example.dev/hold")")->needs_help);
  EXPECT_THAT(deleted(90, R"("example.dev/hold")")->message, HasSubstr("example.dev/hold"));
  EXPECT_EQ(deleted(90, "", "")->message, "it is being deleted");
}

TEST(PodTrouble, HandlesArbitraryPods) {
  for (const char* status : {
           R"("phase":"?","conditions":[{}],"containerStatuses":[{}])",
           R"("containerStatuses":[{"restartCount":-5,"state":{"waiting":{}}}])",
           R"("containerStatuses":[{"state":{"waiting":{"reason":"X"},"running":{},
              "terminated":{"exitCode":-1}}}])",
           R"("conditions":[{"type":"Ready","status":"True",
              "lastTransitionTime":"9999-12-31T23:59:59Z"}])",
           R"("conditions":[{"type":"Ready","status":"Maybe"}])",
       }) {
    TroubleWith(status, std::numeric_limits<int32_t>::max());
    TroubleWith(status, std::numeric_limits<int32_t>::min());
  }
  const auto trouble = TroubleWith(R"("phase":"Failed","message":")" + std::string(99'999, 'x') +
                                   R"(","reason":")" + std::string(99'999, 'y') + "\"");
  ASSERT_TRUE(trouble);
  EXPECT_LT(trouble->message.size() + trouble->reason.size(), 2'100u);
}

TEST(Excerpt, DoesNotSplitAUtf8Character) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "\xc3\xa4";
  EXPECT_EQ(Excerpt(text), text.substr(0, 1'000) + "...");
  EXPECT_EQ(Excerpt("x" + text), "x" + text.substr(0, 998) + "...");
  EXPECT_EQ(Excerpt("short"), "short");
}

}  // namespace
}  // namespace capstan::deployment
