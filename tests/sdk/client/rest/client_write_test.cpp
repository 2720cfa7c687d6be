#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/scripted_transport.h"

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/raw_json.h>
#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::core::v1::Pod;
using api::core::v1::PodFromTemplate;
using capstan::testing::HeaderOf;
using capstan::testing::JsonAnswer;
using capstan::testing::ScriptedAnswer;
using capstan::testing::StatusAnswer;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPods = "/api/v1/namespaces/ns/pods";
constexpr const char* kPod = "/api/v1/namespaces/ns/pods/a";
constexpr const char* kDeployment = "/apis/apps/v1/namespaces/ns/deployments/web";
constexpr const char* kPodA =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"}})";
constexpr const char* kWeb =
    R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"ns"}})";
constexpr const char* kUid = "6f1e0a34-5a3c-4f0a-9e1f-000000000001";

Deployment Web() {
  Deployment web;
  web.metadata.name = "web";
  web.metadata.namespace_ = "ns";
  web.metadata.uid = kUid;
  web.metadata.resourceVersion = "41";
  web.spec.replicas = 2;
  return web;
}

// The JSON in canonical form.
std::string Canonical(std::string_view json) { return RawJson::Parse(json).value().text(); }

class ClientWriteTest : public ::testing::Test {
 protected:
  HttpRequest Sent(size_t index = 0) const { return transport_->Requests().at(index); }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
};

TEST_F(ClientWriteTest, CreatesAnObject) {
  transport_->On("POST", kPods, JsonAnswer(201, kPodA));
  Pod pod;
  pod.metadata.name = "a";
  pod.metadata.namespace_ = "ns";
  const auto created = client_.Create(pod);
  ASSERT_TRUE(created) << created.status().ToString();
  EXPECT_EQ((*created)->metadata.name, "a");
  EXPECT_EQ(HeaderOf(Sent(), "Content-Type"), "application/json");
  EXPECT_EQ(Sent().body, ToJson(pod));
}

TEST_F(ClientWriteTest, DecodesTheMetadataOfTheAnswerAsAnotherStructWhenAsked) {
  transport_->On("POST", kPods, JsonAnswer(201, R"({"kind":"Pod","apiVersion":"v1",
      "metadata":{"name":"a"},"spec":{"nodeName":"n1"}})"));
  const auto created =
      client_.Create(DescriptorOf<PodFromTemplate>(), "ns", "{\"spec\":{}}", &DescriptorOf<Pod>());
  ASSERT_TRUE(created) << created.status().ToString();
  EXPECT_EQ(static_cast<const Pod*>(created->get())->metadata.name, "a");
  EXPECT_EQ(static_cast<const Pod*>(created->get())->spec.nodeName, "");
}

TEST_F(ClientWriteTest, RefusesToCreateWithoutANamespace) {
  EXPECT_EQ(client_.Create(DescriptorOf<Pod>(), "", "{}").status().reason(),
            StatusReason::kInvalidArgument);
}

TEST_F(ClientWriteTest, SendsTheContentTypeOfEachPatchType) {
  transport_->OnEvery("PATCH", "*", [](const HttpRequest&) { return JsonAnswer(200, kPodA); });
  EXPECT_TRUE(client_.Patch<Pod>({"ns", "a"}, PatchType::kMerge, "{}"));
  EXPECT_TRUE(client_.Patch<Pod>({"ns", "a"}, PatchType::kStrategicMerge, "{}"));
  EXPECT_TRUE(client_.Patch<Pod>({"ns", "a"}, PatchType::kJson, "[]", "status"));
  EXPECT_EQ(HeaderOf(Sent(0), "Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(HeaderOf(Sent(1), "Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(HeaderOf(Sent(2), "Content-Type"), "application/json-patch+json");
  EXPECT_EQ(Sent(0).target, kPod);
  EXPECT_EQ(Sent(2).target, std::string(kPod) + "/status");
}

TEST_F(ClientWriteTest, PatchesADifferenceGuardedByResourceVersionAndUid) {
  transport_->On("PATCH", kDeployment, JsonAnswer(200, kWeb));
  const Deployment from = Web();
  Deployment to = from;
  to.spec.replicas = 3;
  to.metadata.annotations.Set("a", "b");
  const auto patched = client_.PatchDifference(from, to);
  ASSERT_TRUE(patched) << patched.status().ToString();
  EXPECT_TRUE(*patched);
  EXPECT_EQ(Canonical(Sent().body),
            Canonical(std::string(R"({"metadata":{"annotations":{"a":"b"},"uid":")") + kUid +
                      R"(","resourceVersion":"41"},"spec":{"replicas":3}})"));
}

TEST_F(ClientWriteTest, SendsNothingWithoutADifference) {
  const Deployment from = Web();
  Deployment to = from;
  EXPECT_FALSE(*client_.PatchDifference(from, to));
  to.metadata.resourceVersion = "42";
  EXPECT_FALSE(*client_.PatchDifference(from, to));
  to.spec.replicas = 9;
  EXPECT_FALSE(*client_.PatchDifference(from, to, "status"));
  EXPECT_TRUE(transport_->Requests().empty());
}

TEST_F(ClientWriteTest, PatchesTheStatusWithAnnotationsButWithoutTheSpec) {
  transport_->On("PATCH", std::string(kDeployment) + "/status", JsonAnswer(200, kWeb));
  const Deployment from = Web();
  Deployment to = from;
  to.spec.replicas = 9;
  to.status.replicas = 2;
  to.metadata.annotations.Set("a", "b");
  ASSERT_TRUE(client_.PatchDifference(from, to, "status"));
  EXPECT_THAT(Sent().body, HasSubstr("\"annotations\":{\"a\":\"b\"}"));
  EXPECT_THAT(Sent().body, HasSubstr("\"status\":{\"replicas\":2}"));
  EXPECT_THAT(Sent().body, Not(HasSubstr("spec")));
}

TEST_F(ClientWriteTest, RefusesToPatchWithoutAResourceVersion) {
  Deployment from = Web();
  from.metadata.resourceVersion.clear();
  Deployment to = from;
  to.spec.replicas = 3;
  EXPECT_THAT(client_.PatchDifference(from, to).status().message(),
              HasSubstr("no resourceVersion"));
}

TEST_F(ClientWriteTest, DeletesWithPreconditionsPropagationAndGracePeriod) {
  transport_->On("DELETE", kPod, JsonAnswer(200, kPodA));
  DeleteOptions options;
  options.uid = Uid(kUid);
  options.resource_version = "41";
  options.propagation = PropagationPolicy::kForeground;
  options.grace_period_seconds = 0;
  EXPECT_TRUE(client_.Delete<Pod>({"ns", "a"}, options).ok());
  EXPECT_EQ(HeaderOf(Sent(), "Content-Type"), "application/json");
  EXPECT_EQ(Canonical(Sent().body),
            Canonical(std::string(R"({"apiVersion":"v1","kind":"DeleteOptions",
                "gracePeriodSeconds":0,"propagationPolicy":"Foreground",
                "preconditions":{"uid":")") +
                      kUid + R"(","resourceVersion":"41"}})"));
}

TEST_F(ClientWriteTest, AcceptsAStatusAsTheResponseToADeletion) {
  transport_->On("DELETE", kPod,
                 JsonAnswer(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"));
  EXPECT_TRUE(client_.Delete<Pod>({"ns", "a"}).ok());
  EXPECT_EQ(Canonical(Sent().body), R"({"apiVersion":"v1","kind":"DeleteOptions"})");
}

TEST_F(ClientWriteTest, ReturnsTheErrorOfADeletion) {
  transport_->On("DELETE", kPod, StatusAnswer(409, "Conflict"));
  EXPECT_TRUE(client_.Delete<Pod>({"ns", "a"}).IsConflict());
}

TEST_F(ClientWriteTest, AWriteWithATruncatedOrMalformedResponseIsAmbiguous) {
  ScriptedAnswer torn = JsonAnswer(201, R"({"kind":"Pod","metadata")");
  torn.torn = Status(StatusReason::kTransport, "reset");
  transport_->On("POST", kPods, torn);
  transport_->On("POST", kPods, JsonAnswer(201, R"({"kind":"Pod","metadata")"));
  transport_->On("POST", kPods, JsonAnswer(200, "<html>welcome</html>"));
  transport_->On("POST", kPods, StatusAnswer(503, "ServiceUnavailable"));
  for (int i = 0; i < 4; ++i) {
    const Status status = client_.Create(DescriptorOf<Pod>(), "ns", kPodA).status();
    EXPECT_TRUE(status.IsAmbiguous()) << status.ToString();
    if (i == 3) break;
    EXPECT_THAT(status.message(), HasSubstr("POST /api/v1/namespaces/ns/pods"));
  }
  EXPECT_EQ(transport_->Requests().size(), 4u);
}

TEST_F(ClientWriteTest, PostsToSubresources) {
  transport_->On("POST", std::string(kPod) + "/binding", JsonAnswer(201, "whatever"));
  const auto body = client_.CreateSubresource(DescriptorOf<Pod>(), {"ns", "a"}, "binding", "{}");
  ASSERT_TRUE(body);
  EXPECT_EQ(*body, "whatever");
}

}  // namespace
}  // namespace capstan
