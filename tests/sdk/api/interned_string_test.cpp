#include <capstan/api/interned_string.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include <capstan/api/string_map.h>

namespace capstan {
namespace {

TEST(InternedString, IsEightBytesAndEmptyByDefault) {
  static_assert(sizeof(InternedString) == sizeof(void*));
  InternedString text;
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(text.view(), "");
  EXPECT_EQ(text, InternedString(""));
}

TEST(InternedString, KeepsOneCopyOfEqualTexts) {
  const InternedString a("kube-system");
  const InternedString b(std::string("kube-") + "system");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.view().data(), b.view().data());
  EXPECT_NE(a, InternedString("default"));
}

TEST(InternedString, ComparesWithAllStringTypes) {
  const InternedString text("web");
  EXPECT_TRUE(text == "web");
  EXPECT_TRUE("web" == text);
  EXPECT_TRUE(text == std::string("web"));
  EXPECT_TRUE(std::string("web") == text);
  EXPECT_TRUE(text == std::string_view("web"));
  EXPECT_TRUE(text != std::string("api"));
}

TEST(InternedString, IsOrderedByItsText) {
  EXPECT_LT(InternedString("a"), InternedString("b"));
  EXPECT_LT(InternedString(), InternedString("a"));
}

TEST(InternedString, OutlivesItsSourceText) {
  std::string source = "a text that is going to be overwritten";
  const InternedString text(source);
  source.assign(source.size(), 'x');
  EXPECT_EQ(text, "a text that is going to be overwritten");
}

TEST(InternedString, MovesLeaveTheSourceEmpty) {
  InternedString from("some-text");
  InternedString to(std::move(from));
  EXPECT_EQ(to, "some-text");
  EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move)
  auto& alias = to;
  to = alias;
  EXPECT_EQ(to, "some-text");
  to = std::move(alias);
  EXPECT_EQ(to, "some-text");  // NOLINT(bugprone-use-after-move)
}

TEST(InternedString, HoldsBytesOfAnyValue) {
  const std::string bytes("a\0b\xff", 4);
  EXPECT_EQ(InternedString(bytes).view(), bytes);
}

TEST(InternedString, WorksAsAHashKey) {
  std::unordered_set<InternedString> set{"a", "b", "a"};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains("b"));
}

TEST(InternedString, ReleasesATextWithItsLastHandleAndInternsItAgain) {
  for (int i = 0; i < 100000; ++i) {
    const InternedString text("number-" + std::to_string(i % 7));
    ASSERT_EQ(text, "number-" + std::to_string(i % 7));
  }
}

// Free-threaded, because a scheduler that runs one thread at a time would hide the race: the last
// handle of a text is dropped while another thread interns the same text.
TEST(InternedString, HandlesConcurrentReleaseAndInterning) {
  const auto work = [](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<InternedString> held(16);
    std::vector<StringMap> maps(4);
    for (int i = 0; i < 40000; ++i) {
      const std::string text = "contended-" + std::to_string(random() % 5);
      InternedString& slot = held[random() % held.size()];
      slot = random() % 3 == 0 ? InternedString() : InternedString(text);
      if (!slot.empty() && slot != text) std::abort();
      StringMap map{{"app", text}, {text, "x"}};
      map.Share();
      if (map.Get("app") != text) std::abort();
      maps[random() % maps.size()] = std::move(map);
      held[random() % held.size()] = held[random() % held.size()];
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 6; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(InternedString("contended-1"), "contended-1");
}

}  // namespace
}  // namespace capstan
