#include <capstan/api/string_map.h>

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace capstan {
namespace {

TEST(StringMap, FindsItsInitialEntries) {
  const StringMap map{{"b", "2"}, {"a", "1"}};
  static_assert(sizeof(StringMap) == sizeof(void*));
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.Get("a"), "1");
  EXPECT_EQ(map.Get("c"), "");
  EXPECT_EQ(map.Find("c"), nullptr);
  EXPECT_TRUE(map.Contains("b"));
}

TEST(StringMap, IsSortedByKey) {
  const StringMap map{{"b", "2"}, {"c", "3"}, {"a", "1"}};
  std::string keys;
  for (const auto& [key, value] : map) keys += key;
  EXPECT_EQ(keys, "abc");
}

TEST(StringMap, KeepsTheLastOfRepeatedKeys) {
  const StringMap map{{"a", "1"}, {"b", "2"}, {"a", "3"}};
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map.Get("a"), "3");
}

TEST(StringMap, ChangesDoNotAffectCopies) {
  StringMap map{{"a", "1"}};
  const StringMap copy = map;
  map.Set("a", "2");
  map.Set("b", "3");
  EXPECT_EQ(copy, (StringMap{{"a", "1"}}));
  EXPECT_EQ(map, (StringMap{{"a", "2"}, {"b", "3"}}));
  EXPECT_TRUE(map.Erase("a"));
  EXPECT_FALSE(map.Erase("a"));
  EXPECT_TRUE(map.Erase("b"));
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map, StringMap());
}

TEST(StringMap, CanSetAValueFromItself) {
  StringMap map{{"a", "a value that is longer than a short string"}};
  map.Set(map.begin()->value, *map.Find("a"));
  map.Set("a", *map.Find("a"));
  EXPECT_EQ(map.Get("a value that is longer than a short string"), map.Get("a"));
}

TEST(StringMap, EqualSharedMapsUseOneBlock) {
  StringMap a{{"app", "web"}, {"tier", "front"}};
  StringMap b{{"tier", "front"}, {"app", "web"}};
  a.Share();
  b.Share();
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.begin(), b.begin());
}

TEST(StringMap, AChangeOfASharedMapDoesNotAffectOthers) {
  StringMap a{{"app", "web"}};
  StringMap b = a;
  a.Share();
  b.Share();
  b.Set("app", "api");
  EXPECT_EQ(a.Get("app"), "web");
  EXPECT_EQ(b.Get("app"), "api");
  StringMap c{{"app", "web"}};
  EXPECT_EQ(a, c);
  c.Share();
  EXPECT_EQ(a.begin(), c.begin());
}

TEST(StringMap, BehavesLikeAStandardMapUnderRandomChanges) {
  std::mt19937 random(7);
  StringMap map;
  std::map<std::string, std::string> model;
  for (int i = 0; i < 5000; ++i) {
    const std::string key = "k" + std::to_string(random() % 12);
    if (random() % 3 == 0) {
      ASSERT_EQ(map.Erase(key), model.erase(key) == 1);
    } else {
      const std::string value = std::to_string(random() % 100);
      map.Set(key, value);
      model[key] = value;
    }
    if (random() % 5 == 0) map.Share();
    ASSERT_EQ(map.size(), model.size());
    auto expected = model.begin();
    for (const auto& entry : map) {
      ASSERT_EQ(entry.key, expected->first);
      ASSERT_EQ(entry.value, expected->second);
      ++expected;
    }
  }
}

}  // namespace
}  // namespace capstan
