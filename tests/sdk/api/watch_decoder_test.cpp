#include "api/watch_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <capstan/api/core_v1.h>
#include <capstan/runtime/format.h>

namespace capstan {
namespace {

using api::core::v1::Pod;
using ::testing::HasSubstr;
using Type = WatchFrame::Type;

WatchFrame DecodeFrame(std::string json) {
  auto frame = DecodeWatchFrame(DescriptorOf<Pod>(), json);
  EXPECT_TRUE(frame.ok()) << json << ": " << frame.status().ToString();
  return frame.ok() ? *frame : WatchFrame{};
}

std::string FrameErrorOf(std::string json) {
  const auto frame = DecodeWatchFrame(DescriptorOf<Pod>(), json);
  EXPECT_EQ(frame.status().reason(), StatusReason::kMalformed) << json;
  return frame.status().message();
}

TEST(DecodeWatchFrame, ReadsAnObjectOfEachType) {
  const std::pair<const char*, Type> kTypes[] = {
      {"ADDED", Type::kAdded}, {"MODIFIED", Type::kModified}, {"DELETED", Type::kDeleted}};
  for (const auto& [name, type] : kTypes) {
    const auto frame = DecodeFrame(std::string(R"({"type":")") + name +
                                   R"(","object":{"kind":"Pod","metadata":{"name":"a",)"
                                   R"("resourceVersion":"7"},"spec":{"x":[{}],"nodeName":"n"}}})");
    EXPECT_EQ(frame.type, type);
    EXPECT_EQ(frame.resource_version, "7");
    ASSERT_NE(frame.object, nullptr);
    const auto& pod = *static_cast<const Pod*>(frame.object.get());
    EXPECT_EQ(pod.metadata.name, "a");
    EXPECT_EQ(pod.spec.nodeName, "n");
    EXPECT_TRUE(frame.malformed.ok());
  }
}

TEST(DecodeWatchFrame, AcceptsTheObjectBeforeTheType) {
  const auto frame = DecodeFrame(
      R"({"object":{"metadata":{"name":"a\n","resourceVersion":"7"}},"x":[1,{}],"type":"ADDED"})");
  EXPECT_EQ(frame.type, Type::kAdded);
  EXPECT_EQ(frame.resource_version, "7");
  ASSERT_NE(frame.object, nullptr);
  EXPECT_EQ(static_cast<const Pod*>(frame.object.get())->metadata.name, "a\n");
}

TEST(DecodeWatchFrame, ReadsOnlyTheResourceVersionOfABookmark) {
  const auto frame = DecodeFrame(R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",
      "metadata":{"resourceVersion":"12746","creationTimestamp":null,
      "annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null}}})");
  EXPECT_EQ(frame.type, Type::kBookmark);
  EXPECT_EQ(frame.resource_version, "12746");
  EXPECT_EQ(frame.object, nullptr);
  EXPECT_TRUE(frame.initial_events_end);
}

TEST(DecodeWatchFrame, ABookmarkEndsTheInitialEventsOnlyIfItSaysSo) {
  for (const char* metadata :
       {R"({"resourceVersion":"7"})", R"({"resourceVersion":"7","annotations":null})",
        R"({"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"false"}})",
        R"({"resourceVersion":"7","labels":{"k8s.io/initial-events-end":"true"}})"}) {
    const auto frame =
        DecodeFrame(Format(R"({{"type":"BOOKMARK","object":{{"metadata":{}}}}})", metadata));
    EXPECT_EQ(frame.resource_version, "7");
    EXPECT_FALSE(frame.initial_events_end) << metadata;
  }
  const auto last = DecodeFrame(R"({"object":{"metadata":{"resourceVersion":"7","annotations":{
      "k8s.io/initial-events-end":"true"}}},"type":"BOOKMARK"})");
  EXPECT_EQ(last.resource_version, "7");
  EXPECT_TRUE(last.initial_events_end);
}

TEST(DecodeWatchFrame, KeepsTheStatusOfAnError) {
  for (const char* text :
       {R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})",
        R"({"object":{"kind":"Status","code":410,"reason":"Expired"},"type":"ERROR"})"}) {
    const auto frame = DecodeFrame(text);
    EXPECT_EQ(frame.type, Type::kError);
    EXPECT_EQ(frame.error, R"({"kind":"Status","code":410,"reason":"Expired"})");
    EXPECT_EQ(frame.object, nullptr);
  }
}

TEST(DecodeWatchFrame, ReportsAMalformedObjectWithItsNameAndResourceVersion) {
  for (const char* text :
       {R"({"type":"MODIFIED","object":{"spec":{"nodeName":5},"metadata":{"name":"a",
            "namespace":"ns","resourceVersion":"7"}}})",
        R"({"object":{"spec":{"nodeName":5},"metadata":{"name":"a",
            "namespace":"ns","resourceVersion":"7"}},"type":"MODIFIED"})"}) {
    const auto frame = DecodeFrame(text);
    EXPECT_EQ(frame.type, Type::kModified);
    EXPECT_EQ(frame.object, nullptr);
    EXPECT_EQ(frame.malformed.message(), "spec.nodeName: expected a string, found a number");
    EXPECT_EQ(frame.name.ToString(), "ns/a");
    EXPECT_EQ(frame.resource_version, "7");
  }
  EXPECT_FALSE(DecodeFrame(R"({"type":"ADDED","object":null})").malformed.ok());
}

TEST(DecodeWatchFrame, RefusesOtherDocuments) {
  for (const char* text :
       {"", "[]", "5", "null", "{", "{}", R"({"type":"ADDED"})", R"({"object":{}})",
        R"({"type":5,"object":{}})", R"({"type":"ADDED","object":{}}x)"}) {
    FrameErrorOf(text);
  }
  EXPECT_THAT(FrameErrorOf(R"({"type":"CHANGED","object":{}})"), HasSubstr("unknown type"));
  EXPECT_THAT(FrameErrorOf(R"({"type":"ERROR","object":{"a":")"
                           "\xff"
                           R"("}})"),
              HasSubstr("UTF-8"));
}

TEST(DecodeWatchFrame, FailsWhenTruncatedAnywhere) {
  const std::string text =
      R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"}}})";
  for (size_t size = 0; size < text.size(); ++size) FrameErrorOf(text.substr(0, size));
}

}  // namespace
}  // namespace capstan
