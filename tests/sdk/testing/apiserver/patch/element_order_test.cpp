#include "apiserver/patch/element_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;

json::Value::Items Named(std::string_view names) {
  json::Value::Items items;
  for (const char name : names) {
    items.push_back(json::Value::Object({{"name", std::string(1, name)}}));
  }
  return items;
}

std::string NamesOf(const json::Value::Items& items) {
  std::string names;
  for (const json::Value& item : items) names += item.Get("name").AsString();
  return names;
}

TEST(ElementPlaces, AreFoundByTheMergeKey) {
  ElementPlaces places(Named("abcab"), "name");
  EXPECT_EQ(places.Find(Json(R"({"name":"b","image":"x"})")), 1U);
  EXPECT_FALSE(places.Find(Json(R"({"image":"x"})")));
  EXPECT_THAT(places.Take(Named("a")[0]), ElementsAre(0, 3));
  EXPECT_FALSE(places.Find(Named("a")[0]));
}

TEST(ElementPlaces, DistinguishIntegersFromDoubles) {
  const json::Value::Items items{80, 80.0, "80", json::Value()};
  const ElementPlaces places(items, {});
  for (size_t i = 0; i < items.size(); ++i) EXPECT_EQ(places.Find(items[i]), i) << i;
  EXPECT_FALSE(IsSameElement(items[0], items[1], {}));
  EXPECT_TRUE(IsSameElement(items[3], items[3], {}));
}

TEST(ElementPlaces, IgnoreNullKeys) {
  const json::Value element = Json(R"({"name":null})");
  EXPECT_FALSE(ElementPlaces({element}, "name").Find(element));
  EXPECT_FALSE(IsSameElement(element, element, "name"));
}

// The array after elements are erased one by one.
std::string ErasedOneByOne(std::string array, std::string_view erased) {
  std::string left = array;
  for (const char name : erased) {
    for (size_t at = 0; (at = left.find(name)) != std::string::npos;) {
      left.erase(at, 1);
      array.replace(0, left.size(), left);
    }
  }
  return array;
}

TEST(ShrinkingList, KeepsTheSameBackingArrayAsTheApi) {
  for (const char* erased : {"", "a", "d", "ad", "da", "cbad", "bcx", "aabb"}) {
    for (const char* names : {"abcd", "aabbccdd", "abababcd", "dcba", "bbbb"}) {
      ShrinkingList list(Named(names), "name");
      for (const json::Value& item : Named(erased)) list.Erase(item);
      const std::string array = ErasedOneByOne(names, erased);
      EXPECT_EQ(NamesOf(list.WholeArray()), array) << names << " without " << erased;
      EXPECT_EQ(NamesOf(list.Left()), array.substr(0, list.Left().size()));
    }
  }
}

TEST(OrderElements, KeepsTheLiveOrderOfOtherElements) {
  const auto ordered = [](std::string_view merged, std::string_view patch, std::string_view live) {
    return NamesOf(OrderElements(Named(merged), Named(patch), Named(live), "name"));
  };
  EXPECT_EQ(ordered("abc", "ca", "abc"), "bca");
  EXPECT_EQ(ordered("abcn", "n", "abc"), "nabc");
  EXPECT_EQ(ordered("abcd", "bd", "abcd"), "abcd");
  EXPECT_EQ(ordered("", "ab", "ab"), "");
}

}  // namespace
}  // namespace capstan::testing::server
