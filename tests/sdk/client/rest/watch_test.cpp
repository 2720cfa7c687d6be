#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "client/rest/watch_stream.h"
#include "support/scripted_transport.h"

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using namespace std::chrono_literals;
using api::core::v1::Pod;
using capstan::testing::JsonAnswer;
using capstan::testing::ScriptedWatch;
using ::testing::HasSubstr;

std::string PodJson(std::string_view name, std::string_view version) {
  return Format(R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{}","namespace":"ns",)"
                R"("resourceVersion":"{}"}}}})",
                name, version);
}

class WatchTest : public ::testing::Test {
 protected:
  std::unique_ptr<WatchStream> Open(const WatchOptions& options = {}) {
    auto stream = client_.Watch(DescriptorOf<Pod>(), "ns", options);
    EXPECT_TRUE(stream) << stream.status().ToString();
    return std::move(*stream);
  }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
  std::shared_ptr<ScriptedWatch> watch_ =
      transport_->OnWatch("/api/v1/namespaces/ns/pods?watch=true*");
};

TEST_F(WatchTest, SendsItsOptions) {
  WatchOptions options;
  options.label_selector = "a=b";
  options.field_selector = "metadata.name=x";
  options.resource_version = "12";
  options.timeout = 300s;
  Open(options);
  const HttpRequest request = transport_->Requests().at(0);
  EXPECT_EQ(request.target,
            "/api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true&labelSelector=a%3Db"
            "&fieldSelector=metadata.name%3Dx&resourceVersion=12&timeoutSeconds=300");
  EXPECT_EQ(request.timeout, Duration(330s));
  EXPECT_FALSE(watch_->IsOpen());
}

TEST_F(WatchTest, AsksForTheInitialEvents) {
  Open({.resource_version = "12", .send_initial_events = true});
  EXPECT_EQ(transport_->Requests().at(0).target,
            "/api/v1/namespaces/ns/pods?watch=true&allowWatchBookmarks=true"
            "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=12");
}

TEST_F(WatchTest, NamesObjectsThatDoNotDecodeUntilTheInitialEventsEnd) {
  constexpr const char* kUnreadable =
      R"({"metadata":{"name":"b","namespace":"ns","resourceVersion":"2"},"spec":7})";
  auto stream = Open({.send_initial_events = true});
  watch_->SendEvent("ADDED", PodJson("a", "1"));
  watch_->SendEvent("ADDED", kUnreadable);
  watch_->SendEvent("BOOKMARK", R"({"metadata":{"resourceVersion":"3"}})");
  watch_->SendEvent("BOOKMARK", R"({"metadata":{"resourceVersion":"9",)"
                                R"("annotations":{"k8s.io/initial-events-end":"true"}}})");
  watch_->SendEvent("MODIFIED", kUnreadable);
  watch_->End();
  EXPECT_TRUE((*stream->Next())->object);
  const auto unread = stream->Next();
  ASSERT_TRUE(unread && *unread);
  EXPECT_FALSE((*unread)->object);
  EXPECT_EQ((*unread)->name.ToString(), "ns/b");
  EXPECT_FALSE((*stream->Next())->initial_events_end);
  const auto end = stream->Next();
  ASSERT_TRUE(end && *end);
  EXPECT_TRUE((*end)->initial_events_end);
  EXPECT_EQ((*end)->resource_version, "9");
  EXPECT_FALSE(*stream->Next()) << "the change is left out";
}

TEST_F(WatchTest, RemembersForTenMinutesThatAGroupHasNoInitialEvents) {
  using api::apps::v1::Deployment;
  const WatchOptions options{.send_initial_events = true};
  const auto watch = [&](const TypeDescriptor& type) {
    return client_.Watch(type, "other", options).status();
  };
  const auto requests = [&] { return transport_->Requests().size(); };
  transport_->OnEvery("GET", "*/other/*sendInitialEvents=true*",
                      [](const HttpRequest&) { return testing::StatusAnswer(422, "Invalid"); });
  EXPECT_TRUE(watch(DescriptorOf<Pod>()).IsInvalid());
  EXPECT_TRUE(watch(DescriptorOf<Pod>()).IsInvalid());
  EXPECT_EQ(requests(), 1u);
  EXPECT_TRUE(watch(DescriptorOf<Deployment>()).IsInvalid());
  EXPECT_EQ(requests(), 2u) << "of another group, which another server may serve";
  runtime_.AdvanceBy(10min);
  EXPECT_TRUE(watch(DescriptorOf<Pod>()).IsInvalid());
  EXPECT_EQ(requests(), 3u);
}

TEST_F(WatchTest, HasNoTimeoutByDefault) {
  Open({.allow_bookmarks = false});
  EXPECT_EQ(transport_->Requests().at(0).target, "/api/v1/namespaces/ns/pods?watch=true");
  EXPECT_EQ(transport_->Requests().at(0).timeout, std::nullopt);
}

TEST_F(WatchTest, ReturnsEventsInOrderAndThenTheEnd) {
  auto stream = Open();
  watch_->SendEvent("ADDED", PodJson("a", "1"));
  watch_->SendEvent("MODIFIED", PodJson("a", "2"));
  watch_->SendEvent("DELETED", PodJson("a", "3"));
  watch_->SendEvent("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":"9"}})");
  watch_->End();
  using Type = WatchEvent::Type;
  for (const auto& [type, version] :
       {std::pair(Type::kAdded, "1"), {Type::kModified, "2"}, {Type::kDeleted, "3"}}) {
    const auto event = stream->Next();
    ASSERT_TRUE(event && *event);
    EXPECT_EQ((*event)->type, type);
    EXPECT_EQ((*event)->resource_version, version);
    EXPECT_EQ(static_cast<const Pod*>((*event)->object.get())->metadata.name, "a");
  }
  const auto bookmark = stream->Next();
  ASSERT_TRUE(bookmark && *bookmark);
  EXPECT_EQ((*bookmark)->type, Type::kBookmark);
  EXPECT_EQ((*bookmark)->object, nullptr);
  EXPECT_EQ((*bookmark)->resource_version, "9");
  const auto end = stream->Next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST_F(WatchTest, AssemblesAnEventThatArrivesByteByByte) {
  auto stream = Open();
  const std::string text = "{\"type\":\"ADDED\",\"object\":" + PodJson("a", "1") + "}\n\r\n\n";
  int received = 0;
  {
    auto reader = runtime_.Start("reader", [&] {
      while (true) {
        const auto event = stream->Next();
        ASSERT_TRUE(event);
        if (!*event) return;
        ++received;
      }
    });
    for (int round = 0; round < 2; ++round) {
      for (const char& byte : text) {
        watch_->Send({&byte, 1});
        runtime_.RunUntilIdle();
      }
      EXPECT_EQ(received, round + 1);
    }
    watch_->End();
  }
  EXPECT_EQ(received, 2);
}

TEST_F(WatchTest, AssemblesAnEventThatStartsInThePreviousPiece) {
  auto stream = Open();
  const std::string event = "{\"type\":\"ADDED\",\"object\":" + PodJson("a", "1") + "}\n";
  watch_->Send(event + event.substr(0, 10));
  EXPECT_TRUE(*stream->Next());
  int received = 0;
  {
    auto reader = runtime_.Start("reader", [&] { received += stream->Next()->has_value(); });
    runtime_.RunUntilIdle();
    watch_->Send(event.substr(10));
    runtime_.RunUntilIdle();
    EXPECT_EQ(received, 1);
    watch_->End();
  }
}

TEST_F(WatchTest, AcceptsObjectsOfSeveralMegabytes) {
  auto stream = Open();
  const std::string padding(3 << 20, 'x');
  watch_->Send(R"({"type":"ADDED","object":{"metadata":{"name":"a"},"padding":")");
  watch_->Send(padding);
  watch_->Send("\"}}\n");
  watch_->SendEvent("ADDED", PodJson("b", "2"));
  EXPECT_TRUE((*stream->Next())->object);
  EXPECT_EQ((*stream->Next())->resource_version, "2");
}

TEST_F(WatchTest, RefusesAnUnboundedEvent) {
  auto response = transport_->RoundTrip({.method = "GET",
                                         .target = "/api/v1/namespaces/ns/pods?watch=true",
                                         .headers = {},
                                         .body = {},
                                         .timeout = {}},
                                        {});
  HttpWatchStream stream(DescriptorOf<Pod>(), std::move(*response), 1000);
  watch_->Send(std::string(2000, 'x'));
  const auto event = stream.Next();
  EXPECT_EQ(event.status().reason(), StatusReason::kMalformed);
  EXPECT_THAT(event.status().message(),
              HasSubstr("watch of pods: an event is larger than 1000 bytes"));
}

TEST_F(WatchTest, ReturnsTheStatusOfAnErrorEvent) {
  auto stream = Open();
  watch_->SendEvent("ERROR", R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                             R"("message":"too old","reason":"Expired","code":410})");
  EXPECT_TRUE(stream->Next().status().IsGone());
}

TEST_F(WatchTest, AnErrorEventWithoutAStatusIsMalformed) {
  auto stream = Open();
  watch_->SendEvent("ERROR", R"({"kind":"Pod"})");
  EXPECT_EQ(stream->Next().status().reason(), StatusReason::kMalformed);
}

TEST_F(WatchTest, ReportsAndSkipsAMalformedObject) {
  const Counter malformed =
      DefaultMetrics().NewCounter("capstan_malformed_objects_total", "", {{"resource", "pods"}});
  const double before = malformed.Value();
  auto stream = Open();
  watch_->SendEvent("ADDED", R"({"metadata":{"name":"bad","resourceVersion":"1"},"spec":7})");
  watch_->SendEvent("ADDED", R"({"metadata":{"resourceVersion":"2"}})");
  watch_->SendEvent("ADDED", PodJson("good", "3"));
  const auto event = stream->Next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->resource_version, "3");
  EXPECT_EQ(malformed.Value() - before, 2);
}

TEST_F(WatchTest, DeliversADeletionByNameForAMalformedObject) {
  auto stream = Open();
  watch_->SendEvent(
      "DELETED", R"({"metadata":{"name":"bad","namespace":"ns","resourceVersion":"1"},"spec":7})");
  const auto event = stream->Next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->type, WatchEvent::Type::kDeleted);
  EXPECT_EQ((*event)->object, nullptr);
  EXPECT_EQ((*event)->name, (NamespacedName{"ns", "bad"}));
}

TEST_F(WatchTest, DistinguishesATruncatedStreamFromItsEnd) {
  auto stream = Open();
  watch_->Send("{\"type\":\"ADD");
  watch_->End();
  EXPECT_TRUE(stream->Next().status().IsTransport());
}

TEST_F(WatchTest, ReturnsTheErrorOfTheConnection) {
  auto stream = Open();
  watch_->Tear();
  const Status status = stream->Next().status();
  EXPECT_TRUE(status.IsTransport());
  EXPECT_THAT(status.message(), HasSubstr("watch of pods: connection reset"));
}

TEST_F(WatchTest, EndsWithTheClientsStopToken) {
  std::stop_source stop;
  auto stream = client_.WithStop(stop.get_token()).Watch(DescriptorOf<Pod>(), "ns", {});
  ASSERT_TRUE(stream);
  Status status;
  {
    auto reader = runtime_.Start("reader", [&] { status = (*stream)->Next().status(); });
    runtime_.RunUntilIdle();
    stop.request_stop();
  }
  EXPECT_TRUE(status.IsCanceled());
}

TEST_F(WatchTest, ReturnsTheErrorOfARefusedWatch) {
  transport_->On("GET", "/api/v1/pods?watch=true*", testing::StatusAnswer(410, "Expired"));
  EXPECT_TRUE(client_.Watch(DescriptorOf<Pod>(), "", {}).status().IsGone());
}

}  // namespace
}  // namespace capstan
