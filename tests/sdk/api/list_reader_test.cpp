#include "api/list_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <capstan/api/core_v1.h>

namespace capstan {
namespace {

using api::core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct DecodedPods {
  Status status;
  ListMetadata metadata;
  std::vector<std::string> items;
  std::vector<std::string> malformed;
};

DecodedPods DecodePods(std::string json) {
  DecodedPods decoded;
  const ListSink sink{
      .on_item =
          [&](ObjectPtr item) {
            decoded.items.push_back(static_cast<const Pod*>(item.get())->metadata.name);
          },
      .on_malformed =
          [&](const NamespacedName& name, const Status& status) {
            decoded.malformed.push_back(name.ToString() + " " + status.message());
          }};
  auto list = DecodeList(DescriptorOf<Pod>(), std::move(json), sink);
  decoded.status = list.status();
  if (list) decoded.metadata = std::move(*list);
  return decoded;
}

TEST(DecodeList, ReturnsTheItemsInOrderAndTheListMetadata) {
  const auto list = DecodePods(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"next",
          "remainingItemCount":7},"items":[{"metadata":{"name":"a","resourceVersion":"1"}},
          {"metadata":{"name":"b"},"spec":{"containers":[{"name":"c"}]}}]})");
  EXPECT_TRUE(list.status.ok());
  EXPECT_THAT(list.items, ElementsAre("a", "b"));
  EXPECT_EQ(list.metadata.resource_version, "42");
  EXPECT_EQ(list.metadata.continue_token, "next");
}

TEST(DecodeList, AcceptsMembersInAnyOrder) {
  const auto list = DecodePods(R"({"items":[{"metadata":{"name":"a"}}],"x":{"items":[1],"metadata":{
      "resourceVersion":"9"}},"metadata":{"continue":null,"resourceVersion":"42"}})");
  EXPECT_TRUE(list.status.ok());
  EXPECT_THAT(list.items, ElementsAre("a"));
  EXPECT_EQ(list.metadata.resource_version, "42");
  EXPECT_EQ(list.metadata.continue_token, "");
}

TEST(DecodeList, AListWithoutItemsIsEmpty) {
  for (const char* text : {R"({"items":[]})", R"({"items":null})", "{}"}) {
    const auto list = DecodePods(text);
    EXPECT_TRUE(list.status.ok()) << text;
    EXPECT_THAT(list.items, IsEmpty());
  }
}

TEST(DecodeList, ReportsAMalformedItemAndContinues) {
  const auto list = DecodePods(
      R"({"metadata":{"resourceVersion":"42"},"items":[
          {"metadata":{"name":"a","namespace":"ns"}},
          {"metadata":{"name":"b","namespace":"ns","generation":"two","resourceVersion":"3"},
           "spec":{"x":[[{}]]}},
          {"metadata":{"name":"c"}},
          {"spec":{"nodeName":5,"deep":{"metadata":{"name":"no"}}},
           "metadata":{"namespace":"ns","name":"d"}},
          null, 5, "text", [{"metadata":{}}],
          {"metadata":{"name":5,"namespace":"ns"}},
          {"metadata":{"name":"e"}}]})");
  EXPECT_TRUE(list.status.ok()) << list.status.ToString();
  EXPECT_THAT(list.items, ElementsAre("a", "c", "e"));
  EXPECT_THAT(
      list.malformed,
      ElementsAre("ns/b metadata.generation: expected an integer, found a string",
                  "ns/d spec.nodeName: expected a string, found a number",
                  " expected an object, found null", " expected an object, found a number",
                  " expected an object, found a string", " expected an object, found an array",
                  "ns/ metadata.name: expected a string, found a number"));
  EXPECT_EQ(list.metadata.resource_version, "42");
}

TEST(DecodeList, CanSkipMalformedItemsWithoutAReport) {
  int items = 0;
  const ListSink sink{.on_item = [&](ObjectPtr) { ++items; }, .on_malformed = {}};
  EXPECT_TRUE(DecodeList(DescriptorOf<Pod>(), R"({"items":[1,{}]})", sink).ok());
  EXPECT_EQ(items, 1);
}

TEST(DecodeList, FailsWhenTruncatedAnywhere) {
  const std::string text =
      R"({"metadata":{"resourceVersion":"42"},"items":[{"metadata":{"name":"a"}},{"spec":5}]})";
  EXPECT_TRUE(DecodePods(text).status.ok());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(DecodePods(text.substr(0, size)).status.reason(), StatusReason::kMalformed) << size;
  }
  EXPECT_FALSE(DecodePods(text + "x").status.ok());
}

TEST(DecodeList, RefusesOtherDocuments) {
  for (const char* text : {"[]", "null", "5", R"({"items":{}})", R"({"items":{"a":[]}})"}) {
    EXPECT_EQ(DecodePods(text).status.reason(), StatusReason::kMalformed) << text;
  }
}

}  // namespace
}  // namespace capstan
