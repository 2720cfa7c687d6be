#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/events/event_recorder.h>
#include <capstan/log/log.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::core::v1::Event;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SimulatedRuntime;
using ::testing::SizeIs;
using ::testing::StartsWith;

class LogText : public LogSink {
 public:
  LogText() { SetLogSink(this); }
  ~LogText() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override { text.append(line).append("\n"); }
  std::string text;
};

class BodyResponse : public HttpResponse {
 public:
  BodyResponse(int status, std::string body) : status_(status), body_(std::move(body)) {}
  int status() const override { return status_; }
  std::string Header(std::string_view name) const override {
    return name == "Content-Type" ? "application/json" : "";
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::min(size, body_.size());
    std::memcpy(buffer, body_.data(), count);
    body_.erase(0, count);
    return count;
  }

 private:
  const int status_;
  std::string body_;
};

// Records every request. Responds with the request's body, or as `fail` specifies.
class EventServer : public Transport {
 public:
  explicit EventServer(Runtime& runtime) : runtime_(runtime) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    if (latency > Duration::zero() && !runtime_.SleepFor(latency, stop)) return Status::Canceled();
    requests.push_back(request);
    if (fail) {
      if (auto failure = fail(request)) return std::move(*failure);
    }
    if (request.method == "POST") return Answer(201, request.body);
    Event patched;
    patched.metadata.name = request.target.substr(request.target.rfind('/') + 1);
    return Answer(200, ToJson(patched));
  }
  static Result<std::unique_ptr<HttpResponse>> Refuse(int code, const std::string& reason,
                                                      const std::string& cause = "") {
    const std::string details =
        cause.empty() ? "{}" : "{\"causes\":[{\"reason\":\"" + cause + "\"}]}";
    return Answer(code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" +
                            reason + R"(","message":"refused","code":)" + std::to_string(code) +
                            R"(,"details":)" + details + "}");
  }
  static Result<std::unique_ptr<HttpResponse>> Answer(int code, std::string body) {
    return std::unique_ptr<HttpResponse>(std::make_unique<BodyResponse>(code, std::move(body)));
  }
  static Result<std::unique_ptr<HttpResponse>> Unreachable() {
    return Status(StatusReason::kTransport, "connection refused");
  }

  Event Created(size_t index) const {
    EXPECT_LT(index, requests.size());
    EXPECT_EQ(requests[index].method, "POST");
    Result<Event> event = FromJson<Event>(requests[index].body);
    EXPECT_TRUE(event.ok()) << event.status().ToString();
    return event ? *event : Event();
  }
  std::vector<std::string> Methods() const {
    std::vector<std::string> methods;
    for (const HttpRequest& request : requests) methods.push_back(request.method);
    return methods;
  }

  std::vector<HttpRequest> requests;
  std::function<std::optional<Result<std::unique_ptr<HttpResponse>>>(const HttpRequest&)> fail;
  Duration latency{};

 private:
  Runtime& runtime_;
};

ClientOptions Unlimited() {
  ClientOptions options;
  options.qps = 0;
  return options;
}

class Events : public ::testing::Test {
 protected:
  Events() {
    about.metadata.name = "web";
    about.metadata.namespace_ = "shop";
    about.metadata.uid = "2f5bcf0e-8a3c-4a8b-9d0e-2b7a4f1c9e11";
    about.metadata.resourceVersion = "77";
  }

  LogText log;
  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  std::shared_ptr<EventServer> server = std::make_shared<EventServer>(runtime);
  EventBroadcaster broadcaster{Client(server, runtime, Unlimited()), runtime, "", metrics};
  EventRecorder recorder{broadcaster, "deployment-controller"};
  Deployment about;
};

TEST_F(Events, CreatesACompleteEvent) {
  recorder.Normal(about, "ScalingReplicaSet", "Scaled up replica set {} from {} to {}", "web-1", 0,
                  3);
  runtime.RunUntilIdle();
  ASSERT_THAT(server->requests, SizeIs(1));
  EXPECT_THAT(server->requests[0].target, StartsWith("/api/v1/namespaces/shop/events"));
  const Event event = server->Created(0);
  EXPECT_THAT(event.metadata.name, StartsWith("web.18fae27693b4"));
  EXPECT_EQ(event.metadata.namespace_, "shop");
  EXPECT_EQ(event.involvedObject.kind, "Deployment");
  EXPECT_EQ(event.involvedObject.apiVersion, "apps/v1");
  EXPECT_EQ(event.involvedObject.namespace_, "shop");
  EXPECT_EQ(event.involvedObject.name, "web");
  EXPECT_EQ(event.involvedObject.uid, about.metadata.uid);
  EXPECT_EQ(event.involvedObject.resourceVersion, "77");
  EXPECT_EQ(event.reason, "ScalingReplicaSet");
  EXPECT_EQ(event.message, "Scaled up replica set web-1 from 0 to 3");
  EXPECT_EQ(event.type, "Normal");
  EXPECT_EQ(event.count, 1);
  EXPECT_EQ(event.source.component, "deployment-controller");
  EXPECT_EQ(event.reportingComponent, "deployment-controller");
  EXPECT_EQ(event.firstTimestamp.seconds(), 1'800'000'000);
  EXPECT_EQ(event.lastTimestamp.seconds(), 1'800'000'000);
}

TEST_F(Events, CreatesEventsOfClusterScopedObjectsInTheDefaultNamespace) {
  api::core::v1::Node node;
  node.metadata.name = "node-1";
  recorder.Warning(node, "NotReady", "gone");
  runtime.RunUntilIdle();
  const Event event = server->Created(0);
  EXPECT_EQ(event.metadata.namespace_, "default");
  EXPECT_TRUE(event.involvedObject.namespace_.empty());
  EXPECT_EQ(event.type, "Warning");
}

TEST_F(Events, IncrementsTheCountOfAnEqualEventWithAPatch) {
  recorder.Normal(about, "R", "same");
  runtime.AdvanceBy(seconds(5));
  recorder.Normal(about, "R", "same");
  runtime.AdvanceBy(seconds(5));
  recorder.Normal(about, "R", "same");
  runtime.AdvanceBy(seconds(5));
  ASSERT_THAT(server->Methods(), ElementsAre("POST", "PATCH", "PATCH"));
  const std::string name = server->Created(0).metadata.name;
  EXPECT_THAT(server->requests[1].target, HasSubstr("/events/" + name));
  const auto patch = FromJson<Event>(server->requests[2].body);
  ASSERT_TRUE(patch.ok());
  EXPECT_EQ(patch->count, 3);
  EXPECT_EQ(patch->message, "same");
  EXPECT_EQ(patch->lastTimestamp.seconds(), 1'800'000'010);
  EXPECT_THAT(server->requests[2].body, Not(HasSubstr("firstTimestamp")));
  EXPECT_THAT(server->requests[2].body, Not(HasSubstr("involvedObject")));
}

TEST_F(Events, RecreatesADeletedEventInsteadOfPatchingIt) {
  recorder.Normal(about, "R", "same");
  runtime.RunUntilIdle();
  server->fail = [](const HttpRequest& request) {
    return request.method == "PATCH" ? std::optional(EventServer::Refuse(404, "NotFound"))
                                     : std::nullopt;
  };
  recorder.Normal(about, "R", "same");
  runtime.RunUntilIdle();
  ASSERT_THAT(server->Methods(), ElementsAre("POST", "PATCH", "POST"));
  EXPECT_EQ(server->Created(2).count, 2);
}

TEST_F(Events, AggregatesSimilarEventsFromTheTenthMessage) {
  for (int i = 1; i <= 12; ++i) recorder.Normal(about, "R", "message {}", i);
  runtime.RunUntilIdle();
  ASSERT_THAT(server->requests, SizeIs(12));
  EXPECT_EQ(server->Created(8).message, "message 9");
  EXPECT_EQ(server->Created(9).message, "(combined from similar events): message 10");
  EXPECT_EQ(server->requests[10].method, "PATCH");
  const auto patch = FromJson<Event>(server->requests[11].body);
  ASSERT_TRUE(patch.ok());
  EXPECT_EQ(patch->count, 3);
  EXPECT_EQ(patch->message, "(combined from similar events): message 12");
}

TEST_F(Events, DoesNotAggregateEventsThatAreFarApart) {
  for (int i = 1; i <= 9; ++i) recorder.Normal(about, "R", "message {}", i);
  runtime.AdvanceBy(minutes(10) + seconds(1));
  recorder.Normal(about, "R", "message 10");
  runtime.RunUntilIdle();
  EXPECT_EQ(server->Created(9).message, "message 10");
}

TEST_F(Events, DoesNotAggregateEventsThatDifferInMoreThanTheMessage) {
  for (int i = 1; i <= 9; ++i) recorder.Normal(about, "R", "message {}", i);
  recorder.Warning(about, "R", "message 10");
  recorder.Normal(about, "Other", "message 11");
  about.metadata.name = "db";
  recorder.Normal(about, "R", "message 12");
  runtime.RunUntilIdle();
  ASSERT_THAT(server->requests, SizeIs(12));
  EXPECT_EQ(server->Created(9).message, "message 10");
  EXPECT_EQ(server->Created(10).message, "message 11");
  EXPECT_EQ(server->Created(11).message, "message 12");
}

TEST_F(Events, FiltersAnObjectWithTooManyEvents) {
  for (int i = 0; i < 40; ++i) recorder.Normal(about, Format("Reason{}", i), "m");
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(25));
  Deployment other = about;
  other.metadata.name = "db";
  recorder.Normal(other, "R", "m");
  EventRecorder(broadcaster, "other-controller").Normal(about, "R", "m");
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(27));
  runtime.AdvanceBy(seconds(301));
  recorder.Normal(about, "Later", "m");
  recorder.Normal(about, "Later still", "m");
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(28));
}

TEST_F(Events, TriesTwelveTimesWhileTheServerIsUnreachable) {
  server->fail = [](const HttpRequest&) { return EventServer::Unreachable(); };
  recorder.Normal(about, "R", "m");
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(1));
  runtime.AdvanceBy(seconds(10));
  EXPECT_THAT(server->requests, SizeIs(2));
  runtime.AdvanceBy(seconds(10));
  EXPECT_THAT(server->requests, SizeIs(3));
  runtime.AdvanceBy(minutes(10));
  EXPECT_THAT(server->requests, SizeIs(12));
  EXPECT_THAT(log.text, HasSubstr("Unable to write event (retry limit exceeded!)"));
  server->fail = nullptr;
  recorder.Normal(about, "R2", "m");
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(13));
}

TEST_F(Events, WritesAnEventAfterTheServerHasRecovered) {
  server->fail = [](const HttpRequest&) { return EventServer::Unreachable(); };
  recorder.Normal(about, "R", "m");
  recorder.Normal(about, "R2", "m");
  runtime.RunUntilIdle();
  server->fail = nullptr;
  runtime.AdvanceBy(seconds(10));
  EXPECT_THAT(server->requests, SizeIs(3));
  EXPECT_EQ(server->Created(1).reason, "R");
  EXPECT_EQ(server->Created(2).reason, "R2");
}

TEST_F(Events, DoesNotRetryARefusedEvent) {
  server->fail = [](const HttpRequest&) { return EventServer::Refuse(422, "Invalid"); };
  recorder.Normal(about, "R", "m");
  runtime.AdvanceBy(minutes(10));
  EXPECT_THAT(server->requests, SizeIs(1));
  EXPECT_THAT(log.text, HasSubstr("Server rejected event (will not retry!)"));
}

TEST_F(Events, DoesNotLogErrorsOfATerminatingNamespace) {
  server->fail = [](const HttpRequest&) {
    return EventServer::Refuse(403, "Forbidden", "NamespaceTerminating");
  };
  recorder.Normal(about, "R", "m");
  runtime.AdvanceBy(minutes(10));
  EXPECT_THAT(server->requests, SizeIs(1));
  EXPECT_THAT(log.text, Not(HasSubstr("rejected")));
}

TEST_F(Events, DropsAndCountsEventsBeyondTheQueueLimit) {
  for (int i = 0; i < 1010; ++i) {
    about.metadata.name = "web-" + std::to_string(i);
    recorder.Normal(about, "R", "m");
  }
  EXPECT_THAT(metrics.Serialize(), HasSubstr("capstan_events_dropped_total 10\n"));
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(1000));
}

TEST_F(Events, EventsAtTheSameTimeGetUniqueNames) {
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) recorder.Normal(about, Format("R{}", i), "m");
  runtime.RunUntilIdle();
  for (size_t i = 0; i < server->requests.size(); ++i) {
    names.insert(server->Created(i).metadata.name);
  }
  EXPECT_EQ(names.size(), 20u);
}

TEST_F(Events, WritesQueuedEventsBeforeItStops) {
  server->latency = seconds(1);
  for (int i = 0; i < 3; ++i) recorder.Normal(about, Format("R{}", i), "m");
  broadcaster.Stop(seconds(10));
  EXPECT_THAT(server->requests, SizeIs(3));
  recorder.Normal(about, "Late", "m");
  EXPECT_THAT(metrics.Serialize(), HasSubstr("capstan_events_dropped_total 1\n"));
}

TEST_F(Events, StopsAfterItsGracePeriod) {
  server->latency = seconds(4);
  for (int i = 0; i < 9; ++i) recorder.Normal(about, Format("R{}", i), "m");
  const MonotonicTime start = runtime.Now();
  broadcaster.Stop(seconds(10));
  EXPECT_EQ(runtime.Now() - start, seconds(10));
  EXPECT_THAT(server->requests, SizeIs(2));
}

TEST_F(Events, DoesNotWaitForAnUnreachableServerWhenItStops) {
  server->fail = [](const HttpRequest&) { return EventServer::Unreachable(); };
  for (int i = 0; i < 3; ++i) recorder.Normal(about, Format("R{}", i), "m");
  runtime.RunUntilIdle();
  const MonotonicTime start = runtime.Now();
  broadcaster.Stop(seconds(60));
  EXPECT_EQ(runtime.Now(), start);
}

TEST_F(Events, LogsRecordedEventsOnRequest) {
  recorder.Normal(about, "Quiet", "m");
  SetLogVerbosity(3);
  recorder.Normal(about, "Loud", "m");
  SetLogVerbosity(0);
  EXPECT_THAT(log.text, Not(HasSubstr("Quiet")));
  EXPECT_THAT(log.text, HasSubstr("\"Event occurred\" object=\"shop/web\""));
}

TEST_F(Events, RefusesAnUnknownType) {
  recorder.Event(DescriptorOf<Deployment>(), &about, "Strange", "R", "m", {});
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, IsEmpty());
  EXPECT_THAT(log.text, HasSubstr("Unsupported event type"));
}

}  // namespace
}  // namespace capstan
