#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <capstan/api/coordination_v1.h>
#include <capstan/api/object.h>

#include "api/protobuf/object.h"
#include "api/protobuf/watch_event.h"
#include "support/protobuf_bytes.h"

namespace capstan::protobuf {
namespace {

using api::coordination::v1::Lease;
using capstan::testing::Bytes;
using capstan::testing::Entry;
using capstan::testing::Enveloped;
using capstan::testing::Number;
using ::testing::HasSubstr;

Result<WatchFrame> DecodedEvent(const std::string& type, const std::string& object) {
  const std::string frame = Bytes(1, type) + Bytes(2, Bytes(1, object));
  return DecodeWatchEvent(DescriptorOf<Lease>(), frame);
}

std::string LeaseWith(const std::string& spec) {
  return Enveloped("coordination.k8s.io/v1", "Lease",
                   Bytes(1, Bytes(1, "a") + Bytes(3, "ns") + Bytes(6, "5")) + Bytes(2, spec));
}

TEST(ProtobufWatch, DecodesTheObjectsOfEvents) {
  const auto frame = DecodedEvent("MODIFIED", LeaseWith(Bytes(1, "me")));
  ASSERT_TRUE(frame.ok()) << frame.status().ToString();
  EXPECT_EQ(frame->type, WatchFrame::Type::kModified);
  EXPECT_EQ(frame->resource_version, "5");
  ASSERT_TRUE(frame->object);
  EXPECT_EQ(static_cast<const Lease*>(frame->object.get())->spec.holderIdentity, "me");
}

TEST(ProtobufWatch, NamesAMalformedObject) {
  const auto frame = DecodedEvent("DELETED", LeaseWith(Number(1, 5)));
  ASSERT_TRUE(frame.ok()) << frame.status().ToString();
  EXPECT_EQ(frame->malformed.message(), "spec.holderIdentity: expected a string, found a varint");
  EXPECT_EQ(frame->name.ToString(), "ns/a");
  EXPECT_EQ(frame->resource_version, "5");
  EXPECT_FALSE(frame->object);
  const auto other = DecodedEvent("ADDED", Enveloped("v1", "Pod", ""));
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->malformed.message(), "an object of kind \"Pod\" instead of a Lease");
}

TEST(ProtobufWatch, ReadsBookmarks) {
  const std::string metadata = Bytes(6, "12");
  const auto frame = DecodedEvent("BOOKMARK", Enveloped("", "Lease", Bytes(1, metadata)));
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame->resource_version, "12");
  EXPECT_FALSE(frame->initial_events_end);
  EXPECT_FALSE(frame->object);
  const std::string annotation = Entry(12, "k8s.io/initial-events-end", "true");
  const auto end =
      DecodedEvent("BOOKMARK", Enveloped("", "Lease", Bytes(1, metadata + annotation)));
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->initial_events_end);
}

TEST(ProtobufWatch, RefusesWhatIsNoEvent) {
  const auto error = [](const std::string& frame) {
    return DecodeWatchEvent(DescriptorOf<Lease>(), frame).status().message();
  };
  EXPECT_THAT(error(""), HasSubstr("without a type"));
  EXPECT_THAT(error(Bytes(1, "ADDED")), HasSubstr("without an object"));
  EXPECT_THAT(error(Bytes(1, "NEWS") + Bytes(2, "")), HasSubstr("unknown type"));
  EXPECT_THAT(error(Number(1, 5) + Bytes(2, "")), HasSubstr("wrong wire type"));
  EXPECT_THAT(error(Bytes(1, "ADDED") + Bytes(2, "\x0a\x7f")), HasSubstr("truncated"));
  EXPECT_THAT(error(R"({"type":"ADDED"})"), HasSubstr("a watch event"));
}

TEST(ProtobufStatus, IsTheSameAsInJson) {
  const std::string cause = Bytes(1, "FieldValueInvalid") + Bytes(2, "no") + Bytes(3, "spec.a");
  const std::string details = Bytes(1, "web") + Bytes(2, "apps") + Bytes(3, "deployments") +
                              Bytes(4, cause) + Number(5, 3) + Bytes(6, "uid");
  const std::string status = Bytes(1, "") + Bytes(2, "Failure") + Bytes(3, "it failed") +
                             Bytes(4, "Invalid") + Bytes(5, details) + Number(6, 422);
  EXPECT_EQ(StatusAsJson(Enveloped("v1", "Status", status)).value_or(""),
            R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"it failed",)"
            R"("reason":"Invalid","details":{"name":"web","group":"apps","kind":"deployments",)"
            R"("causes":[{"reason":"FieldValueInvalid","message":"no","field":"spec.a"}],)"
            R"("retryAfterSeconds":3},"code":422})");
  EXPECT_FALSE(StatusAsJson(Enveloped("v1", "Pod", status)));
  EXPECT_FALSE(StatusAsJson(Enveloped("v1", "Status", "\x80")));
  EXPECT_FALSE(StatusAsJson(R"({"kind":"Status"})"));
}

}  // namespace
}  // namespace capstan::protobuf
