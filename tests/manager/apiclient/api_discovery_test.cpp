#include "apiclient/api_discovery.h"

#include <capstan/testing/fake_cluster.h>
#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>

#include "manager/fake_api_server.h"
#include "support/scripted_transport.h"

namespace capstan::manager {
namespace {

struct DiscoveredWidget {
  api::ObjectMeta metadata;
};

}  // namespace
}  // namespace capstan::manager

CAPSTAN_DEFINE_RESOURCE(capstan::manager::DiscoveredWidget,
                        (.group = "example.dev", .version = "v1", .resource = "widgets",
                         .kind = "Widget", .namespaced = true),
                        CAPSTAN_FIELD(metadata))

namespace capstan::manager {
namespace {

using api::apps::v1::Deployment;
using api::core::v1::Pod;
using capstan::testing::JsonAnswer;
using capstan::testing::Refused;
using capstan::testing::ScriptedAnswer;
using capstan::testing::ScriptedTransport;
using capstan::testing::SimulatedRuntime;
using capstan::testing::StatusAnswer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class AwaitServerTest : public ::testing::Test {
 protected:
  Status Await(const std::stop_token& stop = {}) {
    return AwaitServer(client_, "api:6443", runtime_, kServerTimeout, stop);
  }

  SimulatedRuntime runtime_;
  std::shared_ptr<ScriptedTransport> transport_ = std::make_shared<ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
  const MonotonicTime start_ = runtime_.Now();
};

TEST_F(AwaitServerTest, ReturnsAtOnceForAHealthyServer) {
  transport_->On("GET", "/healthz", {.body = "ok"});
  EXPECT_TRUE(Await().ok());
  EXPECT_EQ(runtime_.Now(), start_);
}

TEST_F(AwaitServerTest, PollsEverySecondUntilTheServerIsHealthy) {
  for (int i = 0; i < 3; ++i) {
    transport_->On("GET", "/healthz", StatusAnswer(500, "InternalError", "etcd failed"));
  }
  transport_->On("GET", "/healthz", {.body = "ok"});
  EXPECT_TRUE(Await().ok());
  EXPECT_EQ(runtime_.Now() - start_, 3s);
}

TEST_F(AwaitServerTest, ReportsTheServerAndTheLastFailureAfterTheTimeout) {
  int asked = 0;
  transport_->OnEvery("GET", "/healthz", [&](const HttpRequest&) {
    return ++asked < 5 ? Refused() : StatusAnswer(500, "InternalError", "etcd failed");
  });
  const Status status = Await();
  EXPECT_TRUE(status.IsTimeout());
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("the API server api:6443 is not healthy after 10 s: "),
                    HasSubstr("etcd failed")));
  EXPECT_EQ(runtime_.Now() - start_, 10s);
}

TEST_F(AwaitServerTest, TimesOutWhenTheServerDoesNotAnswer) {
  transport_->On("GET", "/healthz", {.body = "ok", .delay = 1h});
  const Status status = Await();
  EXPECT_TRUE(status.IsTimeout());
  EXPECT_THAT(status.message(), HasSubstr("there is no response"));
  EXPECT_EQ(runtime_.Now() - start_, 10s);
}

TEST_F(AwaitServerTest, EndsWithTheStopToken) {
  transport_->OnEvery("GET", "/healthz", [](const HttpRequest&) { return Refused(); });
  std::stop_source stop;
  Status status;
  {
    auto waiter = runtime_.Start("waiter", [&] { status = Await(stop.get_token()); });
    runtime_.AdvanceBy(2s);
    stop.request_stop();
  }
  EXPECT_TRUE(status.IsCanceled());
  EXPECT_EQ(runtime_.Now() - start_, 2s);
}

constexpr const char* kCoreResources =
    R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
    {"name":"pods","namespaced":true,"kind":"Pod","verbs":["get","list","watch"]},
    {"name":"pods/status","namespaced":true,"kind":"Pod","verbs":["get","patch"]}]})";
constexpr const char* kWidgetResources =
    R"({"kind":"APIResourceList","groupVersion":"example.dev/v1",
    "resources":[{"name":"widgets","namespaced":true,"kind":"Widget","verbs":["list"]}]})";
constexpr const char* kWidgetGroup = "/apis/example.dev/v1";

class RestMapperTest : public ::testing::Test {
 protected:
  template <class T>
  Result<bool> Serves() {
    return mapper_.Serves(ResourceOf<T>());
  }

  SimulatedRuntime runtime_;
  std::shared_ptr<ScriptedTransport> transport_ = std::make_shared<ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
  RestMapper mapper_{client_};
};

TEST_F(RestMapperTest, ReportsWhichResourcesTheServerServes) {
  transport_->On("GET", "/api/v1", JsonAnswer(200, kCoreResources));
  transport_->On("GET", kWidgetGroup, JsonAnswer(200, R"({"kind":"APIResourceList",
      "groupVersion":"example.dev/v1","resources":[]})"));
  transport_->On("GET", "/apis/apps/v1", {.status = 404, .body = "404 page not found\n"});
  EXPECT_TRUE(Serves<Pod>().value());
  EXPECT_FALSE(Serves<DiscoveredWidget>().value()) << "of a group that is served";
  EXPECT_FALSE(Serves<Deployment>().value()) << "of a group that is not";
}

TEST_F(RestMapperTest, ReadsEachDocumentOnceUntilItIsReset) {
  transport_->On("GET", kWidgetGroup, StatusAnswer(404, "NotFound"));
  EXPECT_FALSE(Serves<DiscoveredWidget>().value());
  EXPECT_FALSE(Serves<DiscoveredWidget>().value());
  mapper_.Reset();
  transport_->On("GET", kWidgetGroup, JsonAnswer(200, kWidgetResources));
  EXPECT_TRUE(Serves<DiscoveredWidget>().value());
  EXPECT_TRUE(Serves<DiscoveredWidget>().value());
  EXPECT_EQ(transport_->Requests().size(), 2U);
}

TEST_F(RestMapperTest, AFailedGroupDoesNotAffectOtherGroups) {
  transport_->On("GET", kWidgetGroup, StatusAnswer(503, "ServiceUnavailable", "no endpoints"));
  transport_->On("GET", kWidgetGroup, JsonAnswer(200, kWidgetResources));
  transport_->On("GET", "/api/v1", JsonAnswer(200, kCoreResources));
  EXPECT_EQ(Serves<DiscoveredWidget>().status().reason(), StatusReason::kServiceUnavailable);
  EXPECT_TRUE(Serves<Pod>().value());
  EXPECT_TRUE(Serves<DiscoveredWidget>().value()) << "an error is not kept";
}

TEST_F(RestMapperTest, RefusesADocumentThatIsNotAResourceList) {
  transport_->On("GET", kWidgetGroup, JsonAnswer(200, R"({"kind":"WidgetList","items":[]})"));
  transport_->On("GET", kWidgetGroup, {.body = "<html>"});
  EXPECT_THAT(Serves<DiscoveredWidget>().status().message(),
              HasSubstr("an object of kind \"WidgetList\" instead of an APIResourceList"));
  EXPECT_EQ(Serves<DiscoveredWidget>().status().reason(), StatusReason::kMalformed);
}

TEST_F(RestMapperTest, ForgetsAllDocumentsAtAReset) {
  ScriptedAnswer late = StatusAnswer(404, "NotFound");
  late.delay = 5s;
  transport_->On("GET", kWidgetGroup, late);
  transport_->On("GET", kWidgetGroup, JsonAnswer(200, kWidgetResources));
  auto reader = runtime_.Start("reader", [&] { EXPECT_FALSE(Serves<DiscoveredWidget>().value()); });
  runtime_.AdvanceBy(1s);
  mapper_.Reset();
  reader->Join();
  EXPECT_TRUE(Serves<DiscoveredWidget>().value());
}

TEST_F(RestMapperTest, NamesMissingResourcesOfInformers) {
  SharedInformerFactory informers(client_, runtime_, {});
  informers.InformerFor<Pod>();
  informers.InformerFor<DiscoveredWidget>();
  informers.InformerFor<DiscoveredWidget>({"ns", "", ""});
  transport_->On("GET", "/api/v1", JsonAnswer(200, kCoreResources));
  transport_->On("GET", kWidgetGroup, StatusAnswer(404, "NotFound"));
  EXPECT_THAT(mapper_.Missing(informers.Informers()).value(),
              ElementsAre("widgets.example.dev/v1"));
  mapper_.Reset();
  transport_->On("GET", "/api/v1", JsonAnswer(200, kCoreResources));
  transport_->On("GET", kWidgetGroup, StatusAnswer(503, "ServiceUnavailable", "no endpoints"));
  EXPECT_THAT(mapper_.Missing(informers.Informers()).status().message(),
              HasSubstr("widgets.example.dev/v1: "));
}

TEST(RestMapper, FindsWhatTheFakeServerServes) {
  SimulatedRuntime runtime;
  FakeApiServer server(runtime);
  RestMapper mapper(Client(std::make_shared<FakeTransport>(server), runtime));
  EXPECT_TRUE(mapper.Serves(ResourceOf<Pod>()).value());
  EXPECT_TRUE(mapper.Serves(ResourceOf<Deployment>()).value());
  EXPECT_FALSE(mapper.Serves(ResourceOf<DiscoveredWidget>()).value());
}

TEST(RestMapper, FindsACustomResourceThatIsRegisteredLater) {
  capstan::testing::FakeCluster cluster;
  EXPECT_TRUE(AwaitServer(cluster.client(), "fake", cluster.runtime(), kServerTimeout, {}).ok());
  RestMapper mapper(cluster.client());
  EXPECT_TRUE(mapper.Serves(ResourceOf<Pod>()).value());
  EXPECT_TRUE(mapper.Serves(ResourceOf<Deployment>()).value());
  EXPECT_FALSE(mapper.Serves(ResourceOf<DiscoveredWidget>()).value());
  ASSERT_TRUE(
      cluster.server()
          .Register(
              {.group = "example.dev", .version = "v1", .kind = "Widget", .plural = "widgets"})
          .ok());
  mapper.Reset();
  EXPECT_TRUE(mapper.Serves(ResourceOf<DiscoveredWidget>()).value());
}

}  // namespace
}  // namespace capstan::manager
