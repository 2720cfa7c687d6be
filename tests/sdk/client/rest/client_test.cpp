#include <capstan/client/client.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "support/scripted_transport.h"

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/client/rest_config.h>
#include <capstan/metrics/metrics.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using api::apps::v1::Deployment;
using api::core::v1::Namespace;
using api::core::v1::Pod;
using capstan::testing::HeaderOf;
using capstan::testing::JsonAnswer;
using capstan::testing::Refused;
using capstan::testing::ScriptedAnswer;
using capstan::testing::StatusAnswer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kRunningPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",
    "namespace":"ns","resourceVersion":"5","labels":{"app":"web"}},"status":{"phase":"Running"}})";
constexpr const char* kPodPath = "/api/v1/namespaces/ns/pods/a";

class ClientTest : public ::testing::Test {
 protected:
  Client NewClient(ClientOptions options = {.qps = 0}) {
    return Client(transport_, runtime_, std::move(options));
  }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
};

TEST_F(ClientTest, GetsAnObject) {
  transport_->On("GET", kPodPath, JsonAnswer(200, kRunningPod));
  const auto pod = NewClient().Get<Pod>({"ns", "a"});
  ASSERT_TRUE(pod) << pod.status().ToString();
  EXPECT_EQ((*pod)->metadata.name, "a");
  EXPECT_EQ((*pod)->status.phase, "Running");
  const HttpRequest request = transport_->Requests().at(0);
  EXPECT_EQ(HeaderOf(request, "Accept"), "application/json");
  EXPECT_EQ(HeaderOf(request, "User-Agent"), DefaultUserAgent());
  EXPECT_EQ(HeaderOf(request, "Content-Type"), "");
  EXPECT_EQ(request.timeout, Duration(30s));
}

TEST_F(ClientTest, BuildsPathsOfGroupsNamespacesAndClusterScopedObjects) {
  transport_->OnEvery("GET", "*", [](const HttpRequest&) { return StatusAnswer(404, "NotFound"); });
  const Client client = NewClient();
  EXPECT_TRUE(client.Get<Deployment>({"ns", "web"}).status().IsNotFound());
  EXPECT_TRUE(client.Get<Namespace>({"", "kube-system"}).status().IsNotFound());
  EXPECT_TRUE(client.ListAll<Deployment>("").status().IsNotFound());
  EXPECT_TRUE(client.ListAll<Pod>("ns").status().IsNotFound());
  EXPECT_THAT(transport_->Lines(), ElementsAre("GET /apis/apps/v1/namespaces/ns/deployments/web",
                                               "GET /api/v1/namespaces/kube-system",
                                               "GET /apis/apps/v1/deployments?limit=500",
                                               "GET /api/v1/namespaces/ns/pods?limit=500"));
}

TEST_F(ClientTest, EscapesNamesAndQueries) {
  transport_->OnEvery("GET", "*", [](const HttpRequest&) { return StatusAnswer(404, "NotFound"); });
  ListOptions options;
  options.label_selector = "app in (a, b),tier!=x&y";
  options.field_selector = "metadata.name=a";
  options.resource_version = "5";
  options.resource_version_match = "Exact";
  options.continue_token = "a/b+c=";
  options.limit = 7;
  EXPECT_FALSE(NewClient().List(DescriptorOf<Pod>(), "ns", options));
  EXPECT_FALSE(NewClient().Get<Pod>({"ns", "system:a b?c#d\xc3\xa4"}));
  EXPECT_THAT(transport_->Lines(),
              ElementsAre("GET /api/v1/namespaces/ns/pods?limit=7&continue=a%2Fb%2Bc%3D"
                          "&labelSelector=app%20in%20%28a%2C%20b%29%2Ctier%21%3Dx%26y"
                          "&fieldSelector=metadata.name%3Da&resourceVersion=5"
                          "&resourceVersionMatch=Exact",
                          "GET /api/v1/namespaces/ns/pods/system%3Aa%20b%3Fc%23d%C3%A4"));
}

TEST_F(ClientTest, RefusesInvalidNames) {
  const Client client = NewClient();
  for (const char* name : {"", ".", "..", "a/b", "a%2fb"}) {
    EXPECT_EQ(client.Get<Pod>({"ns", name}).status().reason(), StatusReason::kInvalidArgument)
        << name;
  }
  EXPECT_EQ(client.Get<Pod>({"../x", "a"}).status().reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(client.Get<Pod>({"", "a"}).status().message(), HasSubstr("needs a namespace"));
  EXPECT_THAT(client.Get<Namespace>({"ns", "a"}).status().message(),
              HasSubstr("namespaces are not namespaced, but namespace \"ns\" was given"));
  EXPECT_EQ(client.GetPath("readyz").status().reason(), StatusReason::kInvalidArgument);
  EXPECT_TRUE(transport_->Requests().empty());
}

TEST_F(ClientTest, ListsAllPages) {
  transport_->On("GET", "/api/v1/pods?limit=500",
                 JsonAnswer(200, R"({"kind":"PodList","apiVersion":"v1",
                   "metadata":{"resourceVersion":"9","continue":"next"},
                   "items":[{"metadata":{"name":"a","namespace":"ns"}}]})"));
  transport_->On("GET", "/api/v1/pods?limit=500&continue=next",
                 JsonAnswer(200, R"({"kind":"PodList","apiVersion":"v1",
                   "metadata":{"resourceVersion":"9"},
                   "items":[{"metadata":{"name":"b","namespace":"ns"}}]})"));
  const auto pods = NewClient().ListAll<Pod>("");
  ASSERT_TRUE(pods) << pods.status().ToString();
  ASSERT_EQ(pods->size(), 2u);
  EXPECT_EQ((*pods)[1]->metadata.name, "b");
}

TEST_F(ClientTest, ReportsAndSkipsMalformedObjectsOfAList) {
  const Counter malformed =
      DefaultMetrics().NewCounter("capstan_malformed_objects_total", "", {{"resource", "pods"}});
  const double before = malformed.Value();
  transport_->On("GET", "/api/v1/pods", JsonAnswer(200, R"({"metadata":{"resourceVersion":"9"},
      "items":[{"metadata":{"name":"a","namespace":"ns"}},
               {"metadata":{"name":"bad","namespace":"ns"},"spec":[]},
               {"metadata":{}},
               {"metadata":{"name":"c","namespace":"ns"}}]})"));
  const auto list = NewClient().List(DescriptorOf<Pod>(), "", {});
  ASSERT_TRUE(list) << list.status().ToString();
  EXPECT_EQ(list->items.size(), 2u);
  EXPECT_THAT(list->malformed, ElementsAre(NamespacedName{"ns", "bad"}));
  EXPECT_EQ(malformed.Value() - before, 2);
}

TEST_F(ClientTest, RefusesOtherDocumentsInPlaceOfAList) {
  transport_->On("GET", "/api/v1/pods",
                 JsonAnswer(200, R"({"kind":"Status","apiVersion":"v1","status":"Failure"})"));
  const auto list = NewClient().List(DescriptorOf<Pod>(), "", {});
  EXPECT_EQ(list.status().reason(), StatusReason::kMalformed);
  EXPECT_THAT(list.status().message(), HasSubstr("GET /api/v1/pods"));
}

TEST_F(ClientTest, ReturnsTheServersErrorWithItsCauses) {
  transport_->On("GET", kPodPath, JsonAnswer(403, R"({"kind":"Status","apiVersion":"v1",
      "status":"Failure","reason":"Forbidden","code":403,"message":"no",
      "details":{"causes":[{"reason":"NamespaceTerminating"}]}})"));
  const Status status = NewClient().Get<Pod>({"ns", "a"}).status();
  EXPECT_TRUE(status.IsForbidden());
  EXPECT_TRUE(status.HasCause("NamespaceTerminating"));
}

TEST_F(ClientTest, ReturnsTheErrorInASuccessfulResponse) {
  ScriptedAnswer answer = StatusAnswer(409, "Conflict");
  answer.status = 200;
  transport_->On("GET", kPodPath, answer);
  EXPECT_TRUE(NewClient().Get<Pod>({"ns", "a"}).status().IsConflict());
}

TEST_F(ClientTest, RefusesAnObjectOfAnotherKind) {
  const char* answers[] = {"{}", R"({"kind":"Secret","apiVersion":"v1"})",
                           R"({"kind":"Status","apiVersion":"v1","status":"Success"})"};
  for (const char* answer : answers) {
    transport_->On("GET", kPodPath, JsonAnswer(200, answer));
    EXPECT_EQ(NewClient().Get<Pod>({"ns", "a"}).status().reason(), StatusReason::kMalformed)
        << answer;
  }
}

TEST_F(ClientTest, HonorsRetryAfter) {
  ScriptedAnswer busy = StatusAnswer(429, "TooManyRequests");
  busy.headers.emplace_back("retry-after", "7");
  transport_->On("GET", kPodPath, busy);
  ScriptedAnswer restarting = JsonAnswer(503, "starting");
  restarting.headers.emplace_back("Retry-After", "2");
  transport_->On("GET", kPodPath, restarting);
  transport_->On("GET", kPodPath, JsonAnswer(200, kRunningPod));
  const MonotonicTime begin = runtime_.Now();
  EXPECT_TRUE(NewClient().Get<Pod>({"ns", "a"}));
  EXPECT_EQ(runtime_.Now() - begin, 9s);
}

TEST_F(ClientTest, RetriesA429TenTimesEvenWithoutRetryAfter) {
  transport_->OnEvery("GET", kPodPath,
                      [](const HttpRequest&) { return StatusAnswer(429, "TooManyRequests"); });
  EXPECT_TRUE(NewClient().Get<Pod>({"ns", "a"}).status().IsTooManyRequests());
  EXPECT_EQ(transport_->Requests().size(), 11u);
}

TEST_F(ClientTest, DoesNotRetryA5xxWithoutRetryAfter) {
  transport_->On("GET", kPodPath, StatusAnswer(500, "InternalError"));
  const Status status = NewClient().Get<Pod>({"ns", "a"}).status();
  EXPECT_EQ(status.reason(), StatusReason::kInternalError);
  EXPECT_EQ(transport_->Requests().size(), 1u);
}

TEST_F(ClientTest, RetriesAReadAfterAConnectionFailure) {
  transport_->On("GET", kPodPath, Refused());
  ScriptedAnswer torn = JsonAnswer(200, R"({"kind":"Pod")");
  torn.torn = Status(StatusReason::kTransport, "reset");
  transport_->On("GET", kPodPath, torn);
  transport_->On("GET", kPodPath, JsonAnswer(200, kRunningPod));
  const MonotonicTime begin = runtime_.Now();
  EXPECT_TRUE(NewClient().Get<Pod>({"ns", "a"}));
  EXPECT_LT(runtime_.Now() - begin, 1s);
}

TEST_F(ClientTest, StopsRetryingAReadWhoseConnectionKeepsFailing) {
  transport_->OnEvery("GET", kPodPath, [](const HttpRequest&) { return Refused(); });
  const MonotonicTime begin = runtime_.Now();
  const Status status = NewClient().Get<Pod>({"ns", "a"}).status();
  EXPECT_TRUE(status.IsTransport());
  EXPECT_THAT(status.message(), HasSubstr("GET /api/v1/namespaces/ns/pods/a: connection refused"));
  EXPECT_LT(runtime_.Now() - begin, 1s);
  EXPECT_EQ(transport_->Requests().size(), 4u);
}

TEST_F(ClientTest, DoesNotRetryAWriteAfterAConnectionFailure) {
  transport_->On("POST", "/api/v1/namespaces/ns/pods", Refused());
  const Status status = NewClient().Create(DescriptorOf<Pod>(), "ns", "{}").status();
  EXPECT_TRUE(status.IsAmbiguous());
  EXPECT_EQ(transport_->Requests().size(), 1u);
}

TEST_F(ClientTest, SharesTheRateLimitBetweenCopies) {
  transport_->OnEvery("GET", kPodPath,
                      [](const HttpRequest&) { return JsonAnswer(200, kRunningPod); });
  const Client client = NewClient({.qps = 10, .burst = 2});
  const Client copy = client.WithUserAgent("other");
  const MonotonicTime begin = runtime_.Now();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(client.Get<Pod>({"ns", "a"}));
    EXPECT_TRUE(copy.Get<Pod>({"ns", "a"}));
  }
  EXPECT_GE(runtime_.Now() - begin, 200ms);
  EXPECT_LT(runtime_.Now() - begin, 201ms);
}

TEST_F(ClientTest, AStopTokenEndsAWait) {
  ScriptedAnswer busy = StatusAnswer(429, "TooManyRequests");
  busy.headers.emplace_back("Retry-After", "3600");
  transport_->On("GET", kPodPath, busy);
  std::stop_source stop;
  Status status;
  {
    auto caller = runtime_.Start("caller", [&] {
      status = NewClient().WithStop(stop.get_token()).Get<Pod>({"ns", "a"}).status();
    });
    runtime_.RunUntilIdle();
    stop.request_stop();
  }
  EXPECT_TRUE(status.IsCanceled());
  EXPECT_TRUE(NewClient().WithStop(stop.get_token()).Get<Pod>({"ns", "a"}).status().IsCanceled());
  EXPECT_EQ(transport_->Requests().size(), 1u);
}

TEST_F(ClientTest, SendsItsUserAgent) {
  transport_->OnEvery("GET", kPodPath,
                      [](const HttpRequest&) { return JsonAnswer(200, kRunningPod); });
  EXPECT_TRUE(NewClient({.qps = 0, .user_agent = "me/1"}).Get<Pod>({"ns", "a"}));
  EXPECT_TRUE(NewClient().WithUserAgent("leader-election").Get<Pod>({"ns", "a"}));
  EXPECT_EQ(HeaderOf(transport_->Requests().at(0), "User-Agent"), "me/1");
  EXPECT_EQ(HeaderOf(transport_->Requests().at(1), "User-Agent"),
            DefaultUserAgent("leader-election"));
}

TEST_F(ClientTest, CountsRequestsByCodeMethodAndHost) {
  const auto count = [](const char* code) {
    return DefaultMetrics()
        .NewCounter("rest_client_requests_total", "",
                    {{"code", code}, {"method", "GET"}, {"host", "counted:1"}})
        .Value();
  };
  transport_->On("GET", kPodPath, JsonAnswer(200, kRunningPod));
  transport_->On("GET", kPodPath, StatusAnswer(404, "NotFound"));
  transport_->OnEvery("GET", kPodPath, [](const HttpRequest&) { return Refused(); });
  const Client client = NewClient({.qps = 0, .host = "counted:1"});
  for (int i = 0; i < 3; ++i) (void)client.Get<Pod>({"ns", "a"});
  EXPECT_EQ(count("200"), 1);
  EXPECT_EQ(count("404"), 1);
  EXPECT_EQ(count("<error>"), 4);
  EXPECT_THAT(DefaultMetrics().Serialize(),
              HasSubstr("rest_client_request_duration_seconds_count{"));
}

TEST_F(ClientTest, CountsTheSizesOfBodies) {
  transport_->On("POST", "*", JsonAnswer(201, kRunningPod));
  Pod pod;
  pod.metadata.namespace_ = "ns";
  pod.metadata.name = "a";
  ASSERT_TRUE(NewClient({.qps = 0, .host = "sized:1"}).Create(pod));
  const std::string text = DefaultMetrics().Serialize();
  const auto sum = [&](const std::string& name) {
    const std::string series = "\n" + name + "_sum{host=\"sized:1\",verb=\"POST\"} ";
    const size_t at = text.find(series);
    return at == text.npos ? 0 : std::stoul(text.substr(at + series.size()));
  };
  EXPECT_EQ(sum("rest_client_request_size_bytes"), ToJson(pod).size());
  EXPECT_EQ(sum("rest_client_response_size_bytes"), std::string_view(kRunningPod).size());
}

TEST_F(ClientTest, GetsPlainPaths) {
  transport_->On("GET", "/readyz", JsonAnswer(200, "ok"));
  const auto body = NewClient().GetPath("/readyz");
  ASSERT_TRUE(body);
  EXPECT_EQ(*body, "ok");
}

}  // namespace
}  // namespace capstan
