#include "process/controller_group.h"

#include <capstan/testing/simulated_runtime.h>
#include <gtest/gtest.h>

#include <capstan/api/apps_v1.h>

#include "manager/fake_api_server.h"

namespace capstan::manager {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;

class FixedExplainer final : public Explainer {
 public:
  explicit FixedExplainer(std::string reason) : reason_(std::move(reason)) {}
  Result<Explanation> Explain(const NamespacedName& name, const Client& client) override {
    if (name.name == "live") {
      const auto version = client.GetPath("/version");
      if (!version) return version.status();
    }
    return Explanation{.reason = reason_, .message = name.ToString()};
  }
  std::vector<ExplainedObject> Unsettled() override {
    return {{.kind = "Any", .name = {"a", reason_}, .explanation = {.reason = reason_}}};
  }

 private:
  const std::string reason_;
};

Status ExplainingSetup(PluginContext& context) {
  context.ListerFor<Deployment>();
  context.ExplainWith<Deployment>(std::make_shared<FixedExplainer>("Replaced"));
  context.ExplainWith<Deployment>(std::make_shared<FixedExplainer>("OfDeployments"));
  context.ExplainWith<ReplicaSet>(std::make_shared<FixedExplainer>("OfReplicaSets"));
  return Status::Ok();
}

class ExplainingGroup : public ::testing::Test {
 protected:
  ExplainingGroup() {
    PluginManifest manifest;
    manifest.name = "explaining-controller";
    EXPECT_TRUE(group_.Select({{manifest, ExplainingSetup}}).ok());
  }
  void Start() {
    group_.Start([] { return true; });
    runtime_.RunUntilIdle();
    ASSERT_TRUE(group_.HasSynced());
  }
  std::string ReasonOf(std::string_view kind) {
    const auto object = group_.Explain(kind, {"shop", "web"});
    return object ? object->kind + " " + object->explanation.reason : object.status().ToString();
  }

  testing::SimulatedRuntime runtime_;
  FakeApiServer server_{runtime_};
  MetricsRegistry metrics_;
  Options options_;
  const std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>(server_);
  Client client_{transport_, runtime_, {.qps = 0}};
  RestMapper mapper_{client_};
  ControllerGroup group_{
      {.options = options_,
       .runtime = runtime_,
       .metrics = metrics_,
       .informers = std::make_shared<SharedInformerFactory>(client_, runtime_, Duration::zero()),
       .new_plugin_client = [this](const std::string&) -> Result<Client> { return client_; },
       .informer_client = client_,
       .event_client = client_,
       .explaining_client = client_,
       .mapper = mapper_,
       .source_host = "host"}};
};

TEST_F(ExplainingGroup, ExplainsNothingBeforeItsCachesAreFilled) {
  EXPECT_EQ(group_.Explain("deployment", {"shop", "web"}).status().reason(),
            StatusReason::kServiceUnavailable);
  EXPECT_EQ(group_.Unsettled().status().reason(), StatusReason::kServiceUnavailable);
}

TEST_F(ExplainingGroup, HasSyncedOnceItsInformersHaveListed) {
  EXPECT_FALSE(group_.HasSynced()) << "nothing was asked for yet";
  transport_->Set(FakeTransport::State::kRefuses);
  group_.StartInformers();
  runtime_.AdvanceBy(std::chrono::minutes(1));
  EXPECT_FALSE(group_.HasSynced());
  transport_->Set(FakeTransport::State::kWorks);
  EXPECT_TRUE(runtime_.RunUntil([this] { return group_.HasSynced(); }, std::chrono::minutes(2)));
}

TEST_F(ExplainingGroup, CallsTheExplainerOfTheKind) {
  Start();
  for (const char* kind :
       {"deployment", "Deployment", "deployments", "deployments.apps", "deployment.apps"}) {
    EXPECT_EQ(ReasonOf(kind), "Deployment OfDeployments") << kind;
  }
  EXPECT_EQ(ReasonOf("replicasets"), "ReplicaSet OfReplicaSets");
}

TEST_F(ExplainingGroup, RefusesAKindWithoutAnExplainer) {
  Start();
  for (const char* kind : {"pod", "", ".apps", "deployments.batch", "deploymentss"}) {
    EXPECT_EQ(group_.Explain(kind, {"shop", "web"}).status().reason(),
              StatusReason::kInvalidArgument)
        << kind;
  }
}

TEST_F(ExplainingGroup, ListsTheResultsOfAllExplainers) {
  Start();
  const auto objects = group_.Unsettled();
  ASSERT_TRUE(objects.ok());
  ASSERT_EQ(objects->size(), 2U);
  EXPECT_EQ((*objects)[0].explanation.reason, "OfDeployments");
  EXPECT_EQ((*objects)[1].explanation.reason, "OfReplicaSets");
}

TEST_F(ExplainingGroup, CancelCallsEndsTheCallsOfItsExplainers) {
  Start();
  EXPECT_TRUE(group_.Explain("deployment", {"shop", "live"}).ok());
  group_.CancelCalls();
  EXPECT_TRUE(group_.Explain("deployment", {"shop", "live"}).status().IsCanceled());
}

}  // namespace
}  // namespace capstan::manager
