#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/scripted_transport.h"

#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using api::core::v1::Pod;
using capstan::testing::JsonAnswer;
using capstan::testing::ScriptedAnswer;
using capstan::testing::StatusAnswer;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFencedPods = "/api/v1/namespaces/ns/pods";
constexpr const char* kFencedPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"}})";
const NamespacedName kNameOfA{"ns", "a"};

class TestFence final : public WriteFence {
 public:
  std::optional<WriteTerm> Term() const override { return term; }
  std::optional<WriteTerm> term;
};

// Delays each request before it is forwarded, as when the machine is suspended at that moment.
class LateTransport final : public Transport {
 public:
  LateTransport(std::shared_ptr<Transport> inner, Runtime& runtime)
      : inner_(std::move(inner)), runtime_(runtime) {}
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    runtime_.SleepFor(lost, stop);
    return inner_->RoundTrip(request, std::move(stop));
  }
  Duration lost{};

 private:
  const std::shared_ptr<Transport> inner_;
  Runtime& runtime_;
};

class NotingObserver final : public WriteObserver {
 public:
  Status MayWrite(const TypeDescriptor&, const NamespacedName& name, const ObjectPtr&) override {
    Note("may", name);
    return answer;
  }
  void Written(const TypeDescriptor& type, const ObjectPtr& object) override {
    Note("written", api::NameOf(MetadataOf(type, object.get())));
  }
  void Lost(const TypeDescriptor&, const NamespacedName& name, const ObjectPtr&) override {
    Note("lost", name);
  }
  void Deleting(const TypeDescriptor&, const NamespacedName& name) override {
    Note("deleting", name);
  }
  void Deleted(const TypeDescriptor&, const NamespacedName& name, const Status& outcome) override {
    Note(outcome.IsAmbiguous() ? "maybe deleted" : "settled", name);
  }

  Status answer;
  std::vector<std::string> notes;

 private:
  void Note(const std::string& what, const NamespacedName& name) {
    notes.push_back(what + " " + name.ToString());
  }
};

class WriteFenceTest : public ::testing::Test {
 protected:
  WriteFenceTest() { RenewFor(seconds(10)); }

  // The lease lasts longer than the time in which it must be renewed.
  void RenewFor(Duration time) {
    fence_->term = WriteTerm{runtime_.Now() + time, runtime_.Now() + time + seconds(5)};
  }
  Client NewClient(ClientOptions options) const {
    return Client(transport_, runtime_, std::move(options))
        .WithWriteFence(fence_)
        .WithWriteObserver(observer_);
  }
  static Status Create(const Client& client) {
    return client.Create(DescriptorOf<Pod>(), "ns", kFencedPod).status();
  }
  void AnswerAll() {
    for (const char* method : {"POST", "PATCH", "DELETE", "GET"}) {
      transport_->OnEvery(method, "*",
                          [](const HttpRequest&) { return JsonAnswer(200, kFencedPod); });
    }
  }
  Duration Elapsed() const { return runtime_.Now() - begin_; }

  mutable testing::SimulatedRuntime runtime_;
  const MonotonicTime begin_ = runtime_.Now();
  const std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  const std::shared_ptr<TestFence> fence_ = std::make_shared<TestFence>();
  const std::shared_ptr<NotingObserver> observer_ = std::make_shared<NotingObserver>();
  const Client client_ = NewClient({.qps = 0});
};

void ExpectNotSent(const Status& status) {
  EXPECT_TRUE(status.IsCanceled()) << status.ToString();
  EXPECT_FALSE(status.IsAmbiguous()) << status.ToString();
  EXPECT_THAT(status.message(), HasSubstr("this manager may not write"));
}

TEST_F(WriteFenceTest, AWriteTimesOutAtTheEndOfTheTerm) {
  AnswerAll();
  ASSERT_TRUE(Create(client_).ok());
  const HttpRequest sent = transport_->Requests().at(0);
  EXPECT_EQ(sent.timeout, Duration(seconds(15)));
  EXPECT_EQ(sent.send_before, begin_ + seconds(10));
}

TEST_F(WriteFenceTest, ALongTermDoesNotExtendATimeout) {
  AnswerAll();
  RenewFor(std::chrono::minutes(5));
  ASSERT_TRUE(Create(client_).ok());
  EXPECT_EQ(transport_->Requests().at(0).timeout, Duration(seconds(30)));
}

TEST_F(WriteFenceTest, WritesAreRefusedWithoutATerm) {
  fence_->term.reset();
  Pod before;
  before.metadata.name = "a";
  before.metadata.namespace_ = "ns";
  before.metadata.resourceVersion = "1";
  Pod after = before;
  after.metadata.labels.Set("a", "b");
  ExpectNotSent(Create(client_));
  ExpectNotSent(client_.Patch<Pod>(kNameOfA, PatchType::kMerge, "{}").status());
  ExpectNotSent(client_.PatchDifference(before, after).status());
  ExpectNotSent(client_.Delete<Pod>(kNameOfA));
  ExpectNotSent(client_.CreateSubresource(DescriptorOf<Pod>(), kNameOfA, "binding", "{}").status());
  EXPECT_THAT(transport_->Requests(), IsEmpty());
  EXPECT_THAT(observer_->notes, ElementsAre("may ns/", "may ns/a", "deleting ns/a", "settled ns/a"))
      << "nothing is lost";
}

TEST_F(WriteFenceTest, WritesAreRefusedAfterTheTerm) {
  AnswerAll();
  runtime_.AdvanceBy(seconds(10) - Duration(1));
  EXPECT_TRUE(Create(client_).ok());
  runtime_.AdvanceBy(Duration(1));
  ExpectNotSent(Create(client_));
  RenewFor(seconds(10));
  EXPECT_TRUE(Create(client_).ok());
  EXPECT_EQ(transport_->Requests().size(), 2u);
}

TEST_F(WriteFenceTest, ReadsAreNotFenced) {
  AnswerAll();
  transport_->On("GET", kFencedPods,
                 JsonAnswer(200, R"({"metadata":{"resourceVersion":"1"},"items":[]})"));
  fence_->term.reset();
  EXPECT_TRUE(client_.Get<Pod>(kNameOfA));
  EXPECT_TRUE(client_.List(DescriptorOf<Pod>(), "ns", {}));
  EXPECT_TRUE(client_.Watch(DescriptorOf<Pod>(), "ns", {}));
  EXPECT_TRUE(client_.GetPath("/readyz"));
  for (const HttpRequest& request : transport_->Requests()) EXPECT_FALSE(request.send_before);
}

TEST_F(WriteFenceTest, AWriteWaitingForTheRateLimitFailsAtTheEndOfTheTerm) {
  AnswerAll();
  const Client client = NewClient({.qps = 0.05, .burst = 1});
  ASSERT_TRUE(Create(client).ok());
  ExpectNotSent(Create(client));
  EXPECT_EQ(Elapsed(), seconds(10)) << "its turn would have come after 20 s";
  EXPECT_EQ(transport_->Requests().size(), 1u);
}

TEST_F(WriteFenceTest, ARenewedTermExtendsTheWaitForTheRateLimit) {
  AnswerAll();
  const Client client = NewClient({.qps = 0.05, .burst = 1});
  ASSERT_TRUE(Create(client).ok());
  const auto renewer = runtime_.Start("renewer", [this] {
    for (int i = 0; i < 4; ++i) {
      runtime_.SleepFor(seconds(4), {});
      RenewFor(seconds(10));
    }
  });
  EXPECT_TRUE(Create(client).ok());
  EXPECT_EQ(Elapsed(), seconds(20));
  EXPECT_EQ(transport_->Requests().at(1).timeout, Duration(seconds(11)));
}

TEST_F(WriteFenceTest, ARefusedWriteUsesNoRateLimitToken) {
  AnswerAll();
  const Client client = NewClient({.qps = 0.05, .burst = 1});
  fence_->term.reset();
  ExpectNotSent(Create(client));
  EXPECT_TRUE(client.Get<Pod>(kNameOfA));
  EXPECT_EQ(Elapsed(), Duration::zero());
}

TEST_F(WriteFenceTest, AWriteIsNotRetriedAfterTheTerm) {
  ScriptedAnswer busy = StatusAnswer(429, "TooManyRequests");
  busy.headers.emplace_back("Retry-After", "12");
  transport_->On("POST", kFencedPods, busy);
  ExpectNotSent(Create(client_));
  EXPECT_EQ(Elapsed(), seconds(10));
  EXPECT_THAT(observer_->notes, ElementsAre("may ns/"));
}

TEST_F(WriteFenceTest, ARetryChecksTheFenceAgain) {
  ScriptedAnswer busy = StatusAnswer(429, "TooManyRequests");
  busy.headers.emplace_back("Retry-After", "3");
  transport_->On("POST", kFencedPods, busy);
  AnswerAll();
  EXPECT_TRUE(Create(client_).ok());
  EXPECT_EQ(transport_->Requests().at(1).timeout, Duration(seconds(12)));
}

TEST_F(WriteFenceTest, AnAmbiguousAttemptStaysAmbiguousAfterARefusedRetry) {
  ScriptedAnswer failed = StatusAnswer(503, "ServiceUnavailable");
  failed.headers.emplace_back("Retry-After", "12");
  transport_->On("POST", kFencedPods, failed);
  const Status status = Create(client_);
  EXPECT_TRUE(status.IsCanceled()) << status.ToString();
  EXPECT_TRUE(status.IsAmbiguous()) << status.ToString();
  EXPECT_THAT(observer_->notes, ElementsAre("may ns/", "lost ns/"));
}

TEST_F(WriteFenceTest, APendingWriteIsCanceledAtTheEndOfTheLease) {
  ScriptedAnswer slow = JsonAnswer(201, kFencedPod);
  slow.delay = seconds(20);
  transport_->On("POST", kFencedPods, slow);
  const Status status = Create(client_);
  EXPECT_EQ(status.reason(), StatusReason::kDeadlineExceeded) << status.ToString();
  EXPECT_TRUE(status.IsAmbiguous());
  EXPECT_EQ(Elapsed(), seconds(15));
  EXPECT_THAT(observer_->notes, ElementsAre("may ns/", "lost ns/"));
}

TEST_F(WriteFenceTest, TheTransportRefusesLateWrites) {
  AnswerAll();
  const auto late = std::make_shared<LateTransport>(transport_, runtime_);
  const Client client =
      Client(late, runtime_, {.qps = 0}).WithWriteFence(fence_).WithWriteObserver(observer_);
  late->lost = seconds(11);
  ExpectNotSent(Create(client));
  RenewFor(seconds(10));
  ExpectNotSent(client.Delete<Pod>(kNameOfA));
  EXPECT_THAT(transport_->Requests(), IsEmpty());
  EXPECT_THAT(observer_->notes,
              ElementsAre("may ns/", "may ns/a", "deleting ns/a", "settled ns/a"));
  EXPECT_TRUE(client.Get<Pod>(kNameOfA)) << "a read may be late";
}

TEST_F(WriteFenceTest, AnObserverCanPreventACreationOrDeletion) {
  observer_->answer = Status(StatusReason::kConflict, "not now");
  EXPECT_TRUE(Create(client_).IsConflict());
  EXPECT_TRUE(client_.Delete<Pod>(kNameOfA).IsConflict());
  EXPECT_THAT(transport_->Requests(), IsEmpty());
  EXPECT_THAT(observer_->notes, ElementsAre("may ns/", "may ns/a"));
}

}  // namespace
}  // namespace capstan
