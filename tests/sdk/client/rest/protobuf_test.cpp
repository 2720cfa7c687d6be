// Which encoding the client requests, and that it reads the one that it gets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/protobuf_bytes.h"
#include "support/scripted_transport.h"

#include <capstan/api/coordination_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using api::coordination::v1::Lease;
using api::core::v1::Pod;
using testing::Bytes;
using testing::Entry;
using testing::Enveloped;
using ::testing::HasSubstr;
using testing::HeaderOf;
using testing::JsonAnswer;
using testing::Number;
using testing::WatchFrameOf;

constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/a";
constexpr const char* kLeases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";
constexpr const char* kGroup = "coordination.k8s.io/v1";
constexpr const char* kBoth = "application/vnd.kubernetes.protobuf,application/json";
constexpr const char* kStream = "application/vnd.kubernetes.protobuf;stream=watch";

testing::ScriptedAnswer ProtobufAnswer(int status, std::string body) {
  testing::ScriptedAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}};
  answer.body = std::move(body);
  return answer;
}

std::string LeaseMessage(const std::string& holder) {
  return Bytes(1, Bytes(1, "a") + Bytes(3, "ns") + Bytes(6, "5")) + Bytes(2, Bytes(1, holder));
}
std::string LeaseBytes(const std::string& holder) {
  return Enveloped(kGroup, "Lease", LeaseMessage(holder));
}

std::string StatusBytes(const std::string& reason, int code, const std::string& details) {
  return Enveloped("v1", "Status",
                   Bytes(1, "") + Bytes(2, "Failure") + Bytes(3, "it failed") + Bytes(4, reason) +
                       Bytes(5, details) + Number(6, code));
}

class ProtobufClient : public ::testing::Test {
 protected:
  std::string Accepted() const { return HeaderOf(transport_->Requests().back(), "Accept"); }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
};

TEST_F(ProtobufClient, ReadsAnObjectInEitherEncoding) {
  transport_->On("GET", kLease, ProtobufAnswer(200, LeaseBytes("me")));
  transport_->On("GET", kLease,
                 JsonAnswer(200, R"({"kind":"Lease","metadata":{"name":"a"},)"
                                 R"("spec":{"holderIdentity":"you"}})"));
  const auto binary = client_.Get<Lease>({"ns", "a"});
  ASSERT_TRUE(binary) << binary.status().ToString();
  EXPECT_EQ((*binary)->spec.holderIdentity, "me");
  EXPECT_EQ(Accepted(), kBoth);
  const auto json = client_.Get<Lease>({"ns", "a"});
  ASSERT_TRUE(json) << json.status().ToString();
  EXPECT_EQ((*json)->spec.holderIdentity, "you");
}

TEST_F(ProtobufClient, RequestsJsonForTypesThatCarryJson) {
  const std::string pods = "/api/v1/namespaces/ns/pods?limit=500";
  constexpr const char* kNoPods = R"({"kind":"PodList","metadata":{"resourceVersion":"1"}})";
  transport_->On("GET", pods, JsonAnswer(200, kNoPods));
  transport_->On("GET", pods, JsonAnswer(200, kNoPods));
  ASSERT_TRUE(client_.ListAll<Pod>("ns"));
  EXPECT_EQ(Accepted(), "application/json");
  const std::vector<std::string_view> phase = {"status.phase"};
  ASSERT_TRUE(client_.ListAll<Pod>("ns", {.fields = *FieldSet::Of(DescriptorOf<Pod>(), phase)}));
  EXPECT_EQ(Accepted(), kBoth);
}

TEST_F(ProtobufClient, RequestsJsonWhenItIsToldTo) {
  const Client client(transport_, runtime_, {.qps = 0, .protobuf = false});
  transport_->On("GET", kLease, JsonAnswer(200, R"({"metadata":{"name":"a"}})"));
  ASSERT_TRUE(client.Get<Lease>({"ns", "a"}));
  EXPECT_EQ(Accepted(), "application/json");
}

TEST_F(ProtobufClient, SendsJsonAndReadsProtobufAnswersToWrites) {
  transport_->On("POST", kLeases, ProtobufAnswer(201, LeaseBytes("me")));
  transport_->On("PATCH", kLease, ProtobufAnswer(200, LeaseBytes("you")));
  Lease lease;
  lease.metadata.name = "a";
  lease.metadata.namespace_ = "ns";
  const auto created = client_.Create(lease);
  ASSERT_TRUE(created) << created.status().ToString();
  EXPECT_EQ((*created)->spec.holderIdentity, "me");
  EXPECT_EQ(HeaderOf(transport_->Requests().back(), "Content-Type"), "application/json");
  const auto patched = client_.Patch<Lease>({"ns", "a"}, PatchType::kMerge, "{}");
  ASSERT_TRUE(patched) << patched.status().ToString();
  EXPECT_EQ((*patched)->spec.holderIdentity, "you");
}

TEST_F(ProtobufClient, RequestsJsonForASubresourceThatMayBeOfAnotherKind) {
  transport_->On("PATCH", std::string(kLease) + "/scale", JsonAnswer(200, R"({"kind":"Scale",
      "metadata":{"name":"a"}})"));
  ASSERT_TRUE(client_.Patch<Lease>({"ns", "a"}, PatchType::kMerge, "{}", "scale"));
  EXPECT_EQ(Accepted(), "application/json");
}

TEST_F(ProtobufClient, ReadsErrors) {
  const std::string cause =
      Bytes(4, Bytes(1, "FieldValueInvalid") + Bytes(2, "no") + Bytes(3, "x"));
  transport_->On("PATCH", kLease,
                 ProtobufAnswer(422, StatusBytes("Invalid", 422, Bytes(1, "a") + cause)));
  const Status status = client_.Patch<Lease>({"ns", "a"}, PatchType::kMerge, "{}").status();
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_EQ(status.http_code(), 422);
  EXPECT_EQ(status.message(), "it failed");
  EXPECT_TRUE(status.HasCause("FieldValueInvalid"));
}

TEST_F(ProtobufClient, HonoursTheDelayOfAnError) {
  transport_->On("GET", kLease,
                 ProtobufAnswer(429, StatusBytes("TooManyRequests", 429, Number(5, 7))));
  transport_->On("GET", kLease, ProtobufAnswer(200, LeaseBytes("me")));
  const MonotonicTime begin = runtime_.Now();
  ASSERT_TRUE(client_.Get<Lease>({"ns", "a"}));
  EXPECT_GE(runtime_.Now() - begin, std::chrono::seconds(7));
}

TEST_F(ProtobufClient, DeletesWhetherTheAnswerIsAStatusOrTheObject) {
  transport_->On("DELETE", kLease, ProtobufAnswer(200, LeaseBytes("me")));
  transport_->On("DELETE", kLease,
                 ProtobufAnswer(200, Enveloped("v1", "Status", Bytes(2, "Success"))));
  transport_->On("DELETE", kLease, ProtobufAnswer(404, StatusBytes("NotFound", 404, "")));
  EXPECT_TRUE(client_.Delete<Lease>({"ns", "a"}).ok());
  EXPECT_EQ(Accepted(), kBoth);
  EXPECT_TRUE(client_.Delete<Lease>({"ns", "a"}).ok());
  EXPECT_TRUE(client_.Delete<Lease>({"ns", "a"}).IsNotFound());
}

TEST_F(ProtobufClient, RefusesAnAnswerOfAnotherKind) {
  transport_->On("GET", kLease, ProtobufAnswer(200, Enveloped("v1", "Pod", "")));
  transport_->On("GET", kLease, ProtobufAnswer(200, StatusBytes("Gone", 410, "")));
  transport_->On("GET", kLease, ProtobufAnswer(200, Enveloped(kGroup, "Lease", "\x0a")));
  const Status pod = client_.Get<Lease>({"ns", "a"}).status();
  EXPECT_EQ(pod.reason(), StatusReason::kMalformed);
  EXPECT_THAT(pod.message(), HasSubstr("an object of kind \"Pod\" instead of a Lease"));
  EXPECT_TRUE(client_.Get<Lease>({"ns", "a"}).status().IsGone());
  EXPECT_THAT(client_.Get<Lease>({"ns", "a"}).status().message(), HasSubstr("truncated"));
}

TEST_F(ProtobufClient, ReadsLists) {
  const std::string bad = Bytes(1, Bytes(1, "bad") + Bytes(3, "ns")) + Bytes(2, Number(1, 5));
  const std::string list = Enveloped(
      kGroup, "LeaseList",
      Bytes(1, Bytes(2, "9")) + Bytes(2, LeaseMessage("me")) + Bytes(2, bad) + Bytes(2, ""));
  transport_->On("GET", kLeases, ProtobufAnswer(200, list));
  transport_->On("GET", kLeases, ProtobufAnswer(200, Enveloped(kGroup, "LeaseList", "")));
  const auto leases = client_.List(DescriptorOf<Lease>(), "ns", {});
  ASSERT_TRUE(leases) << leases.status().ToString();
  EXPECT_EQ(leases->resource_version, "9");
  EXPECT_EQ(leases->items.size(), 1U);
  ASSERT_EQ(leases->malformed.size(), 1U);
  EXPECT_EQ(leases->malformed[0].ToString(), "ns/bad");
  EXPECT_EQ(Accepted(), kBoth);
  EXPECT_THAT(client_.List(DescriptorOf<Lease>(), "ns", {}).status().message(),
              HasSubstr("metadata.resourceVersion: missing in a list"));
}

TEST_F(ProtobufClient, ReadsWatches) {
  auto watch = transport_->OnWatch(std::string(kLeases) + "?watch=true*", kStream);
  auto stream = client_.Watch(DescriptorOf<Lease>(), "ns", {});
  ASSERT_TRUE(stream) << stream.status().ToString();
  EXPECT_EQ(Accepted(), kBoth);
  const std::string events =
      WatchFrameOf("ADDED", LeaseBytes("me")) +
      WatchFrameOf("BOOKMARK", Enveloped(kGroup, "Lease", Bytes(1, Bytes(6, "12"))));
  for (const char byte : events) watch->Send(std::string(1, byte));
  watch->Send(WatchFrameOf("ERROR", StatusBytes("Expired", 410, "")));
  const auto added = (*stream)->Next();
  ASSERT_TRUE(added && *added) << added.status().ToString();
  EXPECT_EQ(static_cast<const Lease*>((*added)->object.get())->spec.holderIdentity, "me");
  const auto bookmark = (*stream)->Next();
  ASSERT_TRUE(bookmark && *bookmark) << bookmark.status().ToString();
  EXPECT_EQ((*bookmark)->type, WatchEvent::Type::kBookmark);
  EXPECT_EQ((*bookmark)->resource_version, "12");
  EXPECT_TRUE((*stream)->Next().status().IsGone());
}

TEST_F(ProtobufClient, TellsTheEndOfAWatchFromATruncatedEvent) {
  const auto last = [this](const std::string& bytes) {
    auto watch = transport_->OnWatch(std::string(kLeases) + "?watch=true*", kStream);
    auto stream = client_.Watch(DescriptorOf<Lease>(), "ns", {});
    watch->Send(bytes);
    watch->End();
    return (*stream)->Next();
  };
  const auto end = last("");
  EXPECT_TRUE(end && !*end);
  const std::string frame = WatchFrameOf("ADDED", LeaseBytes("me"));
  for (size_t size : {size_t{1}, size_t{4}, frame.size() - 1}) {
    EXPECT_EQ(last(frame.substr(0, size)).status().reason(), StatusReason::kTransport) << size;
  }
  EXPECT_EQ(last("\x7f\xff\xff\xff").status().reason(), StatusReason::kMalformed);
  EXPECT_EQ(last(std::string("\0\0\0\1\x80", 5)).status().reason(), StatusReason::kMalformed);
}

}  // namespace
}  // namespace capstan
