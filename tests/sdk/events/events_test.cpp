#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/events/event_recorder.h>
#include <capstan/log/log.h>
#include <capstan/testing/simulated_runtime.h>

#include "sdk/events/event_server.h"

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::core::v1::Event;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::EventServer;
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

  void RecordAboutManyObjects(int count) {
    for (int i = 0; i < count; ++i) {
      about.metadata.name = "web-7d9c6b5f4-" + std::to_string(i);
      recorder.Normal(about, "SuccessfulCreate", "Created pod: web-7d9c6b5f4-{}-x2v8k", i);
    }
  }
  // Other requests, one after the other, until `stop` is triggered.
  std::unique_ptr<Thread> StartWork(const std::stop_source& stop) {
    return runtime.Start("work", [this, stop] {
      while (!stop.stop_requested()) EXPECT_TRUE(client.GetPath("/work").ok());
    });
  }
  std::string Dropped() const {
    const std::string text = metrics.Serialize();
    const size_t begin = text.rfind("capstan_events_dropped_total ") + 29;
    return text.substr(begin, text.find('\n', begin) - begin);
  }

  LogText log;
  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  std::shared_ptr<EventServer> server = std::make_shared<EventServer>(runtime);
  Client client{server, runtime, Unlimited()};
  EventBroadcaster broadcaster{client, runtime, "", metrics};
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

TEST_F(Events, HoldsABurstOfSeveralThousandEvents) {
  RecordAboutManyObjects(5000);
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(5000));
  EXPECT_EQ(Dropped(), "0");
}

TEST_F(Events, DropsAndCountsEventsBeyondTheQueueLimit) {
  const std::string megabyte(size_t{1} << 20, 'x');
  for (int i = 0; i < 6; ++i) recorder.Normal(about, Format("R{}", i), "{}", megabyte);
  EXPECT_EQ(Dropped(), "3") << "names and other fields count too";
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(3));
  recorder.Normal(about, "R", "there is room again");
  runtime.RunUntilIdle();
  EXPECT_THAT(server->requests, SizeIs(4));
}

TEST_F(Events, ComeAfterOtherRequestsAndAreAllThereAtTheEnd) {
  server->latency = milliseconds(10);
  std::stop_source stop;
  auto work = StartWork(stop);
  runtime.AdvanceBy(seconds(1));
  RecordAboutManyObjects(1000);
  runtime.AdvanceBy(seconds(10));
  EXPECT_GE(server->Writes(), 90u);
  EXPECT_LE(server->Writes(), 101u) << "a tenth of the time of one connection";
  EXPECT_EQ(server->most_at_a_time, 2) << "the work and one event";
  stop.request_stop();
  work->Join();
  runtime.AdvanceBy(seconds(1));
  EXPECT_GE(server->Writes(), 180u) << "without a pause";
  runtime.AdvanceBy(seconds(3));
  EXPECT_EQ(server->Writes(), 1000u) << "several at a time";
  EXPECT_EQ(server->most_at_a_time, 4);
  EXPECT_EQ(Dropped(), "0");
}

TEST_F(Events, NoLongerComeLastWhenTheirQueueIsHalfFull) {
  server->latency = milliseconds(10);
  std::stop_source stop;
  auto work = StartWork(stop);
  const std::string text(size_t{10} << 10, 'x');
  for (int i = 0; i < 300; ++i) {
    about.metadata.name = "web-" + std::to_string(i);
    recorder.Normal(about, "R", "{}", text);
  }
  runtime.AdvanceBy(seconds(1));
  const size_t at_first = server->Writes();
  EXPECT_GE(at_first, 95u);
  EXPECT_LE(at_first, 140u) << "until the queue is half empty";
  runtime.AdvanceBy(seconds(10));
  EXPECT_LE(server->Writes(), at_first + 101);
  stop.request_stop();
  work->Join();
}

TEST_F(Events, AboutOneObjectKeepTheirOrderWhenSeveralAreWrittenAtATime) {
  server->latency = milliseconds(10);
  for (int i = 0; i < 90; ++i) {
    about.metadata.name = "web-" + std::to_string(i % 30);
    recorder.Normal(about, i < 60 ? "Same" : "Other", "m");
  }
  runtime.AdvanceBy(seconds(5));
  EXPECT_EQ(server->most_at_a_time, 4);
  ASSERT_THAT(server->requests, SizeIs(90));
  std::map<std::string, std::vector<std::string>> by_object;
  for (size_t i = 0; i < server->requests.size(); ++i) {
    const HttpRequest& request = server->requests[i];
    if (request.method == "POST") {
      const Event event = server->Created(i);
      by_object[event.involvedObject.name].push_back(std::string(event.reason.view()));
    } else {
      std::string name = request.target.substr(request.target.rfind('/') + 1);
      by_object[name.substr(0, name.find('.'))].push_back("patch");
    }
  }
  EXPECT_THAT(by_object, SizeIs(30));
  for (const auto& [name, written] : by_object) {
    EXPECT_THAT(written, ElementsAre("Same", "patch", "Other")) << name;
  }
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

TEST_F(Events, DoNotComeLastWhenTheBroadcasterStops) {
  server->latency = milliseconds(10);
  std::stop_source stop;
  auto work = StartWork(stop);
  runtime.AdvanceBy(seconds(1));
  RecordAboutManyObjects(500);
  runtime.AdvanceBy(seconds(1));
  EXPECT_LE(server->Writes(), 11u);
  broadcaster.Stop(seconds(2));
  EXPECT_EQ(server->Writes(), 500u);
  stop.request_stop();
  work->Join();
}

TEST_F(Events, CountsTheEventsThatAreLeftAfterTheGracePeriod) {
  server->latency = seconds(1);
  RecordAboutManyObjects(100);
  broadcaster.Stop(milliseconds(9500));
  // Four are written at a time, and those in progress at the end are cancelled.
  EXPECT_EQ(server->Writes(), 36u);
  EXPECT_EQ(Dropped(), "60");
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
