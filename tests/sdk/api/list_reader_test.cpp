#include "api/list_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
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

// Feeds `json` in pieces of this size.
DecodedPods DecodePods(std::string_view json, size_t piece = std::string::npos,
                       size_t limit = ListReader::kItemLimit) {
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
  const auto reader = NewJsonListReader(DescriptorOf<Pod>(), sink, {}, limit);
  while (!json.empty() && decoded.status.ok()) {
    decoded.status = reader->Feed(json.substr(0, piece));
    json.remove_prefix(std::min(piece, json.size()));
  }
  if (!decoded.status.ok()) return decoded;
  auto list = reader->Finish();
  decoded.status = list.status();
  if (list) decoded.metadata = std::move(*list);
  return decoded;
}

TEST(JsonListReader, ReturnsTheItemsInOrderAndTheListMetadata) {
  const auto list = DecodePods(
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"next",
          "remainingItemCount":7},"items":[{"metadata":{"name":"a","resourceVersion":"1"}},
          {"metadata":{"name":"b"},"spec":{"containers":[{"name":"c"}]}}]})");
  EXPECT_TRUE(list.status.ok());
  EXPECT_THAT(list.items, ElementsAre("a", "b"));
  EXPECT_EQ(list.metadata.resource_version, "42");
  EXPECT_EQ(list.metadata.continue_token, "next");
}

TEST(JsonListReader, AcceptsMembersInAnyOrder) {
  const auto list = DecodePods(R"({"items":[{"metadata":{"name":"a"}}],"x":{"items":[1],"metadata":{
      "resourceVersion":"9"}},"metadata":{"continue":null,"resourceVersion":"42"}})");
  EXPECT_TRUE(list.status.ok());
  EXPECT_THAT(list.items, ElementsAre("a"));
  EXPECT_EQ(list.metadata.resource_version, "42");
  EXPECT_EQ(list.metadata.continue_token, "");
}

TEST(JsonListReader, AListWithoutItemsIsEmpty) {
  for (const char* text : {R"({"items":[]})", R"({"items":null})", "{}"}) {
    const auto list = DecodePods(text);
    EXPECT_TRUE(list.status.ok()) << text;
    EXPECT_THAT(list.items, IsEmpty());
  }
}

TEST(JsonListReader, ReportsAMalformedItemAndContinues) {
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

TEST(JsonListReader, CanSkipMalformedItemsWithoutAReport) {
  int items = 0;
  const ListSink sink{.on_item = [&](ObjectPtr) { ++items; }, .on_malformed = {}};
  const auto reader = NewJsonListReader(DescriptorOf<Pod>(), sink);
  EXPECT_TRUE(reader->Feed(R"({"items":[1,{}]})").ok());
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(items, 1);
}

TEST(JsonListReader, FailsWhenTruncatedAnywhere) {
  const std::string text =
      R"({"metadata":{"resourceVersion":"42"},"items":[{"metadata":{"name":"a"}},{"spec":5}]})";
  EXPECT_TRUE(DecodePods(text).status.ok());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(DecodePods(text.substr(0, size)).status.reason(), StatusReason::kMalformed) << size;
  }
  EXPECT_FALSE(DecodePods(text + "x").status.ok());
}

TEST(JsonListReader, RefusesOtherDocuments) {
  for (const char* text : {"[]", "null", "5", R"({"items":{}})", R"({"items":{"a":[]}})"}) {
    EXPECT_EQ(DecodePods(text).status.reason(), StatusReason::kMalformed) << text;
  }
}

TEST(JsonListReader, GivesTheSameForAnySizeOfThePieces) {
  const std::string_view text = R"( {"kind" : "PodList", "it\"ems":["items"], "a":"items",
      "metadata":{"continue":"n\\","resourceVersion":"42"}, "items" : [
        {"metadata":{"name":"a]}\"\\","labels":{"x":"{[,"}}} , 7 ,null,"t\"]", [{"a":[]}],
        {"metadata":{"name":"b"},"spec":{"containers":[{"name":"\u005d"}]}}
      ] , "items":[{"metadata":{"name":"c"}}],"z":[{"items":[{"metadata":{}}]}]} )";
  const DecodedPods whole = DecodePods(text);
  EXPECT_TRUE(whole.status.ok()) << whole.status.ToString();
  EXPECT_THAT(whole.items, ElementsAre("a]}\"\\", "b", "c"));
  EXPECT_EQ(whole.malformed.size(), 4u);
  EXPECT_EQ(whole.metadata.continue_token, "n\\");
  for (size_t piece = 1; piece < 40; ++piece) {
    const DecodedPods decoded = DecodePods(text, piece);
    EXPECT_TRUE(decoded.status.ok()) << piece << decoded.status.ToString();
    EXPECT_EQ(decoded.items, whole.items) << piece;
    EXPECT_EQ(decoded.malformed, whole.malformed) << piece;
    EXPECT_EQ(decoded.metadata.resource_version, "42");
  }
}

TEST(JsonListReader, RefusesBrokenJson) {
  for (const char* text :
       {R"({"items":[{},]})", R"({"items":[,{}]})", R"({"items":[{}{}]})", R"({"items":[{]]})",
        R"({"items":[{"a":}]})", R"({"items":[1 2]})", R"({"items":[tru]})", R"({"items":[}]})",
        R"({"items" [{}]})", R"({"items":[{}]]})", R"({"items":[{}],})", R"({"items":[][]})",
        R"({"items":["\u00zz"]})", R"(["items":[{}]])", "", " "}) {
    for (const size_t piece : {1, 3, 100}) {
      EXPECT_EQ(DecodePods(text, piece).status.reason(), StatusReason::kMalformed) << text;
    }
  }
}

TEST(JsonListReader, NamesTheBrokenItem) {
  EXPECT_THAT(DecodePods(R"({"items":[{},{},{"a":x}]})").status.message(),
              ::testing::StartsWith("items[2]: not valid JSON"));
}

TEST(JsonListReader, RefusesItemsUnderAKeyWithEscapes) {
  EXPECT_FALSE(DecodePods(R"({"metadata":{"resourceVersion":"1"},"\u0069tems":[{}]})").status.ok());
}

TEST(JsonListReader, LimitsTheItemsAndWhatIsAroundThem) {
  const std::string text = R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})";
  EXPECT_TRUE(DecodePods(text, 5, 30).status.ok()) << "each is small";
  EXPECT_FALSE(DecodePods(text, 5, 20).status.ok());
  EXPECT_FALSE(DecodePods(R"({"x":"012345678901234567890123456789"})", 5, 30).status.ok());
}

}  // namespace
}  // namespace capstan
