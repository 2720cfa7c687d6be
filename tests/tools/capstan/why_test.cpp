#include "capstan/why.h"

#include <capstan/api/apps_v1.h>
#include <capstan/api/raw_json.h>
#include <capstan/runtime/format.h>
#include <capstan/testing/fake_cluster.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/paths.h"
#include "support/scripted_transport.h"

namespace capstan::tool {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr char kSpec[] =
    R"("replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":
    {"app":"web"%}},"spec":{"containers":[{"name":"app","image":"example.com/web:1"}]}})";

std::string Spec(const std::string& more_labels) {
  std::string spec = kSpec;
  return spec.replace(spec.find('%'), 1, more_labels);
}

// The command owns its Transport. All of them lead to one server.
class SharedTransport final : public Transport {
 public:
  explicit SharedTransport(std::shared_ptr<Transport> transport)
      : transport_(std::move(transport)) {}
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    return transport_->RoundTrip(request, std::move(stop));
  }

 private:
  const std::shared_ptr<Transport> transport_;
};

class Why : public ::testing::Test {
 protected:
  Why() {
    options_.kind = "deployment";
    options_.name = "web";
    options_.plugin_dir = tests::PluginFolder();
    options_.kubeconfig = ::testing::TempDir() + "/capstan-why-test.kubeconfig";
    std::ofstream(options_.kubeconfig)
        << "apiVersion: v1\n"
           "kind: Config\n"
           "current-context: c\n"
           "clusters: [{name: k, cluster: {server: 'https://api'}}]\n"
           "users: [{name: u, user: {token: t}}]\n"
           "contexts: [{name: c, context: {cluster: k, user: u, "
           "namespace: default}}]\n";
    // The embedded server has the API of a cluster, but no controllers for its Deployments.
    cluster_.kubelet()->Behave({.unschedulable = true});
  }

  Result<std::string> Ask() {
    const Dependencies dependencies{
        .runtime = cluster_.runtime(),
        .new_transport = [this](const RestConfig& config,
                                Runtime&) -> Result<std::unique_ptr<Transport>> {
          config_ = config;
          return std::unique_ptr<Transport>(std::make_unique<SharedTransport>(transport_));
        }};
    return tool::Why(options_, dependencies);
  }

  // A Deployment that has been observed but has no ReplicaSet yet.
  void CreateDeployment() {
    cluster_.CreateJson(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
                        "spec":{)" +
                        Spec("") + "}}");
    cluster_.Patch<Deployment>("web", R"({"status":{"observedGeneration":1}})", "status");
  }
  void CreateReplicaSet(const std::string& status) {
    const auto deployment = cluster_.Get<Deployment>("web");
    cluster_.CreateJson(
        R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1","labels":{"app":
        "web","pod-template-hash":"1"},"annotations":{"deployment.kubernetes.io/revision":"1",
        "deployment.kubernetes.io/desired-replicas":"1",
        "deployment.kubernetes.io/max-replicas":"2"},)" +
        Owner("Deployment", "web", deployment->metadata.uid) + R"(},"spec":{)" +
        Spec(R"(,"pod-template-hash":"1")") + "}}");
    cluster_.Patch<ReplicaSet>("web-1", R"({"status":)" + status + "}", "status");
  }
  void CreatePod() {
    const auto set = cluster_.Get<ReplicaSet>("web-1");
    cluster_.CreateJson(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1-x","labels":{"app":"web",
        "pod-template-hash":"1"},)" +
        Owner("ReplicaSet", "web-1", set->metadata.uid) +
        R"(},"spec":{"containers":[{"name":"app","image":"example.com/web:1"}]}})");
    cluster_.RunUntilIdle();
  }
  static std::string Owner(std::string_view kind, std::string_view name, const Uid& uid) {
    return Format(R"("ownerReferences":[{{"apiVersion":"apps/v1","kind":"{}","name":"{}",)"
                  R"("uid":"{}","controller":true}}])",
                  kind, name, uid);
  }

  testing::FakeCluster cluster_;
  WhyOptions options_;
  std::shared_ptr<Transport> transport_ = cluster_.server().NewTransport();
  RestConfig config_;
};

TEST_F(Why, ReadsThePodsToNameTheCause) {
  CreateDeployment();
  CreateReplicaSet(R"({"observedGeneration":1,"replicas":1})");
  CreatePod();
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_THAT(*answer, StartsWith("deployment/web in default is blocked: Unschedulable, for "));
  EXPECT_THAT(*answer,
              AllOf(HasSubstr("\n  1 of 1 pods of ReplicaSet \"web-1\" are not available; 0 are "
                              "ready.\n"),
                    HasSubstr("\n  - pod/web-1-x: Unschedulable for "),
                    HasSubstr(": 0/3 nodes are available.\n")));
  EXPECT_EQ(config_.server, "https://api:443");
}

TEST_F(Why, AnswersInJson) {
  CreateDeployment();
  CreateReplicaSet(
      R"({"observedGeneration":1,"replicas":0,"conditions":[{"type":"ReplicaFailure",
      "status":"True","reason":"FailedCreate","message":"exceeded quota: few"}]})");
  options_.json = true;
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  const auto json = RawJson::Parse(*answer);
  ASSERT_TRUE(json.ok()) << *answer;
  EXPECT_EQ(json->StringAt("/state"), "blocked");
  EXPECT_EQ(json->StringAt("/reason"), "QuotaExceeded");
}

TEST_F(Why, ReportsACompleteRollout) {
  CreateDeployment();
  CreateReplicaSet(
      R"({"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1})");
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(*answer,
            "deployment/web in default is settled: Complete\n"
            "  All 1 pods are updated and available.\n");
}

TEST_F(Why, ReportsADeploymentWithoutAController) {
  cluster_.CreateJson(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},
                      "spec":{)" +
                      Spec("") + "}}");
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_THAT(*answer, AllOf(StartsWith("deployment/web in default is waiting: NotObserved"),
                             HasSubstr("no controller manager is running")));
}

TEST_F(Why, ReportsTheRunningOldPodsOfARecreateDeployment) {
  CreateDeployment();
  CreateReplicaSet(R"({"observedGeneration":1,"replicas":1})");
  CreatePod();
  cluster_.Patch<Deployment>("web", R"({"spec":{"strategy":{"type":"Recreate",
      "rollingUpdate":null},"template":{"spec":{"terminationGracePeriodSeconds":5}}}})");
  cluster_.Patch<Deployment>("web", R"({"status":{"observedGeneration":2}})", "status");
  cluster_.Patch<ReplicaSet>("web-1", R"({"spec":{"replicas":0}})");
  cluster_.Patch<ReplicaSet>("web-1", R"({"status":{"observedGeneration":2,"replicas":0}})",
                             "status");
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_THAT(*answer, HasSubstr(": OldPodsTerminating"));
}

TEST_F(Why, QuotesTheErrorForAMissingDeployment) {
  options_.namespace_ = "kube-system";
  const auto answer = Ask();
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(answer.status().IsNotFound());
  EXPECT_EQ(
      answer.status().message(),
      "deployment/web in kube-system: https://api:443 says: deployments.apps \"web\" not found");
}

TEST_F(Why, AnUnsupportedKindIsAnErrorThatListsTheSupportedOnes) {
  options_.kind = "pod";
  EXPECT_EQ(Ask().status().message(), "\"pod\": no plugin in " + options_.plugin_dir +
                                          " explains this kind; known kinds: deployment");
}

TEST_F(Why, ReportsAFolderWithoutPlugins) {
  options_.plugin_dir = ::testing::TempDir() + "/capstan-no-plugins";
  EXPECT_THAT(Ask().status().message(), HasSubstr("capstan-no-plugins: No such file"));
  options_.plugin_dir = tests::TestFolder();
  EXPECT_THAT(Ask().status().message(), HasSubstr("explains this kind; known kinds: none"));
}

TEST_F(Why, AcceptsTheKindNamesOfKubectl) {
  CreateDeployment();
  CreateReplicaSet(
      R"({"observedGeneration":1,"replicas":1,"readyReplicas":1,"availableReplicas":1})");
  for (const char* kind : {"deploy", "deployments", "deployments.apps", "Deployment.apps"}) {
    options_.kind = kind;
    const auto answer = Ask();
    ASSERT_TRUE(answer.ok()) << kind << ": " << answer.status().message();
    EXPECT_THAT(*answer, StartsWith("deployment/web in default is settled"));
  }
  for (const char* kind : {"", ".apps", "deploys", "deployment.batch"}) {
    options_.kind = kind;
    EXPECT_THAT(Ask().status().message(), HasSubstr("explains this kind")) << kind;
  }
}

constexpr char kLeases[] = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/*";
constexpr char kDeployment[] = "/apis/apps/v1/namespaces/default/deployments/web";

class WhyOfServer : public Why {
 protected:
  WhyOfServer() {
    transport_ = scripted_;
    options_.manager = kNoManager;
  }
  std::shared_ptr<testing::ScriptedTransport> scripted_ =
      std::make_shared<testing::ScriptedTransport>(cluster_.runtime());
};

TEST_F(WhyOfServer, QuotesTheErrorOfTheServer) {
  scripted_->On("GET", kDeployment,
                testing::StatusAnswer(403, "Forbidden", "user may not get deployments.apps"));
  const auto answer = Ask();
  ASSERT_FALSE(answer.ok());
  EXPECT_TRUE(answer.status().IsForbidden());
  EXPECT_THAT(answer.status().message(), HasSubstr("user may not get deployments.apps"));
}

TEST_F(WhyOfServer, ReportsAnUnreachableServer) {
  scripted_->OnEvery("GET", "*", [](const HttpRequest&) { return testing::Refused(); });
  const auto answer = Ask();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.status().message(),
              StartsWith("deployment/web in default: https://api:443 cannot be reached: "));
}

TEST_F(WhyOfServer, OmitsPodDetailsWithoutPermissionToReadPods) {
  const std::string deployment =
      R"({"metadata":{"name":"web","namespace":"default","uid":"d","generation":1},"spec":{)" +
      Spec("") + R"(,"strategy":{"type":"RollingUpdate"}},"status":{"observedGeneration":1}})";
  const std::string set =
      R"({"metadata":{"name":"web-1","namespace":"default","uid":"s","labels":{"app":"web"},
      "annotations":{"deployment.kubernetes.io/revision":"1",
      "deployment.kubernetes.io/desired-replicas":"1","deployment.kubernetes.io/max-replicas":"1"},
      "ownerReferences":[{"uid":"d","controller":true}]},"spec":{)" +
      Spec("") + R"(},"status":{"replicas":1}})";
  scripted_->On("GET", kDeployment, testing::JsonAnswer(200, deployment));
  scripted_->On(
      "GET", "/apis/apps/v1/namespaces/default/replicasets?*",
      testing::JsonAnswer(200, R"({"metadata":{"resourceVersion":"9"},"items":[)" + set + "]}"));
  scripted_->On("GET", "/api/v1/namespaces/default/pods?*",
                testing::StatusAnswer(403, "Forbidden", "user may not list pods"));
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_THAT(*answer, AllOf(HasSubstr(": PodsNotReady"),
                             HasSubstr("The pods could not be read: user may not list pods")));
}

class WhyOfLeader : public WhyOfServer {
 protected:
  WhyOfLeader() { options_.manager.clear(); }
  void HeldBy(const std::string& holder) {
    scripted_->On(
        "GET", kLeases,
        testing::JsonAnswer(
            200, R"({"metadata":{"name":"l"},"spec":{"holderIdentity":")" + holder + R"("}})"));
  }
  // Expects that the API server is asked next, and that its message is returned.
  void ExpectApiServerIsAsked() {
    scripted_->On("GET", kDeployment, testing::StatusAnswer(404, "NotFound", "not there"));
    EXPECT_THAT(Ask().status().message(), HasSubstr("https://api:443 says: not there"));
  }
};

TEST_F(WhyOfLeader, QueriesTheLeaderThroughTheApiServer) {
  HeldBy("capstan-0.a_8d3f");
  scripted_->On("GET",
                "/api/v1/namespaces/kube-system/pods/https:capstan-0.a:10257/proxy/"
                "whyz?for=deployment/default/web",
                {.status = 200, .headers = {}, .body = "told\x1b[2J\n by it\n"});
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(*answer, "told [2J\n by it\n");
}

TEST_F(WhyOfLeader, QueriesTheApiServerWithoutALeader) {
  scripted_->On("GET", kLeases, testing::StatusAnswer(404, "NotFound"));
  ExpectApiServerIsAsked();
  HeldBy("");
  ExpectApiServerIsAsked();
}

TEST_F(WhyOfLeader, QueriesTheApiServerWhenTheLeaderIsUnreachable) {
  HeldBy("capstan-0_8d3f");
  scripted_->On("GET", "/api/v1/namespaces/kube-system/pods/*",
                testing::StatusAnswer(403, "Forbidden"));
  ExpectApiServerIsAsked();
}

TEST_F(WhyOfLeader, QueriesTheApiServerForAnInvalidHolderIdentity) {
  HeldBy("../../secrets/x?_8d3f");
  ExpectApiServerIsAsked();
}

class WhyOfManager : public WhyOfServer {
 protected:
  WhyOfManager() { options_.manager = "https://10.0.0.7:10257"; }
};

TEST_F(WhyOfManager, PrintsTheAnswerOfTheManager) {
  scripted_->On("GET", "/whyz?for=deployment/default/web",
                {.status = 200, .headers = {}, .body = "deployment/web is settled\n"});
  const auto answer = Ask();
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(*answer, "deployment/web is settled\n");
  EXPECT_EQ(config_.server, "https://10.0.0.7:10257");
  EXPECT_EQ(config_.bearer_token, "");  // the token is for the API server
}

TEST_F(WhyOfManager, SendsTheTokenOfTheTokenFile) {
  options_.token_file = "/var/run/token";
  scripted_->On("GET", "/whyz?*", {.status = 200, .headers = {}, .body = "x"});
  EXPECT_TRUE(Ask().ok());
  EXPECT_EQ(config_.bearer_token_file, "/var/run/token");
  EXPECT_EQ(config_.bearer_token, "");
}

TEST_F(WhyOfManager, RequestsJsonAndEscapesNames) {
  options_.json = true;
  options_.namespace_ = "a&b";
  options_.name = "w eb";
  scripted_->On("GET", "/whyz?for=deployment/a%26b/w%20eb&format=json",
                {.status = 200, .headers = {}, .body = "{}\n"});
  EXPECT_TRUE(Ask().ok());
}

TEST_F(WhyOfManager, NeedsNoKubeconfigWithANamespace) {
  options_.kubeconfig = "/nonexistent";
  EXPECT_FALSE(Ask().ok());
  options_.namespace_ = "shop";
  scripted_->On("GET", "/whyz?for=deployment/shop/web",
                {.status = 200, .headers = {}, .body = "x"});
  EXPECT_TRUE(Ask().ok());
}

TEST_F(WhyOfManager, ReportsAStandbyManager) {
  scripted_->On("GET", "*", {.status = 503, .headers = {}, .body = "this manager is a standby\n"});
  const auto answer = Ask();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.status().message(),
              AllOf(HasSubstr("https://10.0.0.7:10257 says"), HasSubstr("is a standby")));
}

}  // namespace
}  // namespace capstan::tool
