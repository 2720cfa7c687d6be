#include "deployment/explainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders.h"
#include "plugins/reconcile_fixture.h"

namespace capstan::deployment {
namespace {

using State = Explanation::State;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kPods =
    "/api/v1/namespaces/default/pods?limit=250&*labelSelector=app%3Dweb";

class DeploymentExplainerTest : public testing::ReconcileFixture {
 protected:
  DeploymentExplainerTest() {
    deployment_.status.observedGeneration = 1;
    ReplicaSet set = SizedFor(deployment_, SetOf("a", "v1", 2, 1));
    set.metadata.ownerReferences = {{.apiVersion = "apps/v1",
                                     .kind = "Deployment",
                                     .name = "web",
                                     .uid = deployment_.metadata.uid,
                                     .controller = true,
                                     .blockOwnerDeletion = true}};
    Cache(deployment_, "/deployments");
    Cache(set, "/replicasets");
  }
  static std::string PodList(std::string_view reason, std::string_view more_metadata = "") {
    return R"({"metadata":{"resourceVersion":"1")" + std::string(more_metadata) +
           R"(},"items":[{"metadata":{"name":"p","namespace":"default","uid":"p-uid",
        "ownerReferences":[{"uid":"uid-of-a","controller":true}]},"spec":{"nodeName":"n"},
        "status":{"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":")" +
           std::string(reason) + R"("}}}]}}]})";
  }

  Deployment deployment_ = DeploymentOf(2);
  const std::shared_ptr<SyncFailures> failures_ = std::make_shared<SyncFailures>();
  DeploymentExplainer explainer_{context_, failures_};
};

TEST_F(DeploymentExplainerTest, ReadsThePodsOfTheRequestedDeployment) {
  transport_->On("GET", std::string(kPods), testing::JsonAnswer(200, PodList("ErrImagePull")));
  const auto explanation = explainer_.Explain({"default", "web"}, client_);
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  EXPECT_EQ(explanation->state, State::kBlocked);
  EXPECT_EQ(explanation->reason, "ErrImagePull");
  EXPECT_THAT(explanation->details, SizeIs(1));
}

TEST_F(DeploymentExplainerTest, ReadsAtMostAThousandPods) {
  int pages = 0;
  transport_->OnEvery("GET", std::string(kPods), [&](const HttpRequest&) {
    ++pages;
    std::string item = PodList("ErrImagePull");
    item = item.substr(item.find("[{\"metadata\"") + 1);
    item.resize(item.size() - 2);
    std::string list = R"({"metadata":{"resourceVersion":"1","continue":"more"},"items":[)";
    for (int i = 0; i < 250; ++i) list += (i == 0 ? "" : ",") + item;
    return testing::JsonAnswer(200, list + "]}");
  });
  const auto explanation = explainer_.Explain({"default", "web"}, client_);
  ASSERT_TRUE(explanation.ok()) << explanation.status().message();
  EXPECT_EQ(pages, 4);
  ASSERT_THAT(explanation->details, SizeIs(1));
  EXPECT_EQ(explanation->details[0].more, 999);
}

TEST_F(DeploymentExplainerTest, ReportsThatThePodsCouldNotBeRead) {
  transport_->On("GET", std::string(kPods), testing::StatusAnswer(403, "Forbidden", "not you"));
  const auto explanation = explainer_.Explain({"default", "web"}, client_);
  ASSERT_TRUE(explanation.ok());
  EXPECT_EQ(explanation->reason, "PodsNotReady");
  EXPECT_THAT(explanation->notes.back(), HasSubstr("The pods could not be read: not you"));
}

TEST_F(DeploymentExplainerTest, AMissingDeploymentIsReported) {
  const auto explanation = explainer_.Explain({"default", "nope"}, client_);
  EXPECT_TRUE(explanation.status().IsNotFound());
  EXPECT_EQ(explanation.status().message(), "there is no Deployment nope in namespace default");
}

TEST_F(DeploymentExplainerTest, ListsFromTheCacheOnlyAndSkipsSettledDeployments) {
  Deployment done = DeploymentOf(2);
  done.metadata.name = "done";
  done.metadata.uid = "done-uid";
  done.status.observedGeneration = 1;
  done.status.replicas = done.status.updatedReplicas = done.status.availableReplicas = 2;
  Cache(done, "/deployments");
  const auto unsettled = explainer_.Unsettled();
  ASSERT_THAT(unsettled, SizeIs(1));
  EXPECT_EQ(unsettled[0].kind, "Deployment");
  EXPECT_EQ(unsettled[0].name.ToString(), "default/web");
  EXPECT_EQ(unsettled[0].explanation.reason, "PodsNotReady");
  EXPECT_THAT(transport_->Lines(), IsEmpty());

  for (int i = 0; i < 3; ++i) {
    failures_->Note({"default", "done"}, Status(StatusReason::kForbidden, "not you"), At(0));
  }
  EXPECT_THAT(explainer_.Unsettled(), SizeIs(2));
}

TEST_F(DeploymentExplainerTest, ReportsFailingSyncs) {
  for (int i = 0; i < 3; ++i) {
    failures_->Note({"default", "web"}, Status(StatusReason::kForbidden, "not you"), At(0));
  }
  transport_->On("GET", std::string(kPods), testing::JsonAnswer(200, PodList("ContainerCreating")));
  const auto explanation = explainer_.Explain({"default", "web"}, client_);
  ASSERT_TRUE(explanation.ok());
  EXPECT_EQ(explanation->reason, "SyncFailing");
  EXPECT_EQ(explanation->message,
            "The controller's last 3 syncs have failed, the last with: not you");
}

}  // namespace
}  // namespace capstan::deployment
