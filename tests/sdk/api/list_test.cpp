#include <capstan/api/list.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <capstan/api/interned_string.h>

namespace capstan {
namespace {

using Strings = List<std::string>;

TEST(List, IsEightBytesAndEmptyByDefault) {
  static_assert(sizeof(Strings) == sizeof(void*));
  Strings list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.begin(), list.end());
  EXPECT_EQ(list, Strings{});
}

TEST(List, CopiesAreIndependent) {
  Strings a{"one", "two"};
  Strings b = a;
  b[0] = "three";
  EXPECT_EQ(a.front(), "one");
  EXPECT_EQ(b.front(), "three");
  EXPECT_FALSE(a == b);
  a = b;
  EXPECT_EQ(a, b);
}

TEST(List, MovesLeaveTheSourceEmpty) {
  Strings a{"one"};
  Strings b = std::move(a);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.size(), 1u);
}

TEST(List, CanAppendItsOwnElement) {
  Strings list{"a text that does not fit into a short string"};
  for (int i = 0; i < 10; ++i) list.push_back(list.front());
  for (int i = 0; i < 10; ++i) list.emplace_back(list.back());
  for (const std::string& text : list) EXPECT_EQ(text, list.front());
  EXPECT_EQ(list.size(), 21u);
}

TEST(List, EraseReturnsTheNextPosition) {
  Strings list{"a", "b", "c"};
  auto next = list.erase(list.begin() + 1);
  EXPECT_EQ(*next, "c");
  next = list.erase(next);
  EXPECT_EQ(next, list.end());
  EXPECT_EQ(list, (Strings{"a"}));
  list.erase(list.begin());
  EXPECT_TRUE(list.empty());
}

// The hash and equality of lists that Share gets.
void Share(Strings& list) {
  list.Share(list.size(), [](const Strings& a, const Strings& b) { return a == b; });
}

TEST(List, EqualSharedListsHaveOneBlockUntilANonConstAccess) {
  Strings a{"one", "two"};
  Strings b{"one", "two"};
  Strings other{"one", "three"};
  for (Strings* list : {&a, &b, &other}) Share(*list);
  EXPECT_EQ(std::as_const(a).data(), std::as_const(b).data());
  EXPECT_NE(std::as_const(a).data(), std::as_const(other).data());
  EXPECT_TRUE(a.is_shared());
  b[0] = "three";
  EXPECT_FALSE(b.is_shared());
  EXPECT_EQ(a, (Strings{"one", "two"}));
  EXPECT_EQ(b, (Strings{"three", "two"}));
}

TEST(List, ACopyOfASharedListIsNotShared) {
  Strings list{"one"};
  Share(list);
  Strings copy = list;
  EXPECT_FALSE(copy.is_shared());
  EXPECT_EQ(copy, list);
  const Strings moved = std::move(list);
  EXPECT_TRUE(moved.is_shared());
}

TEST(List, EveryChangeOfASharedListLeavesTheOthersAlone) {
  const std::function<void(Strings&)> changes[] = {
      [](Strings& list) { list.push_back(list.front()); },
      [](Strings& list) { list.pop_back(); },
      [](Strings& list) { list.erase(list.begin()); },
      [](Strings& list) { list.clear(); },
      [](Strings& list) { list.reserve(1); },
      [](Strings& list) { list.reserve(10); },
      [](Strings& list) { list.shrink_to_fit(); },
      [](Strings& list) { list = {"three"}; }};
  for (const auto& change : changes) {
    const Strings before{"one", "two"};
    Strings list = before;
    Strings other = before;
    Strings unshared = before;
    Share(list);
    Share(other);
    change(list);
    change(unshared);
    EXPECT_EQ(list, unshared);
    EXPECT_EQ(other, before);
  }
}

TEST(List, ASharedBlockIsFreedWithItsLastList) {
  const auto element = std::make_shared<int>(1);
  using Pointers = List<std::shared_ptr<int>>;
  const auto share = [](Pointers& list) {
    list.Share(1, [](const Pointers& a, const Pointers& b) { return a == b; });
  };
  {
    Pointers a{element};
    Pointers b{element};
    share(a);
    share(b);
    EXPECT_EQ(element.use_count(), 2);
    a.clear();
    EXPECT_EQ(element.use_count(), 2);
  }
  EXPECT_EQ(element.use_count(), 1);
}

TEST(List, SharedListsOfTwoTypesWithOneHashStayApart) {
  List<int32_t> numbers{7};
  List<uint32_t> others{7};
  numbers.Share(1, [](const auto& a, const auto& b) { return a == b; });
  others.Share(1, [](const auto& a, const auto& b) { return a == b; });
  EXPECT_EQ(std::as_const(numbers).front(), 7);
  EXPECT_EQ(std::as_const(others).front(), 7u);
}

TEST(List, ThreadsMayShareAndDropEqualLists) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        Strings list{"one", "two"};
        Share(list);
        ASSERT_EQ(std::as_const(list).back(), "two");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(List, BehavesLikeAVectorUnderRandomChanges) {
  std::mt19937 random(3);
  List<std::shared_ptr<int>> list;
  std::vector<std::shared_ptr<int>> model;
  for (int i = 0; i < 5000; ++i) {
    switch (random() % 5) {
      case 0:
        if (model.empty()) break;
        list.pop_back();
        model.pop_back();
        break;
      case 1:
        if (model.empty()) break;
        {
          const auto at = static_cast<std::ptrdiff_t>(random() % model.size());
          list.erase(list.begin() + at);
          model.erase(model.begin() + at);
        }
        break;
      case 2:
        list.shrink_to_fit();
        break;
      default:
        model.push_back(std::make_shared<int>(i));
        list.push_back(model.back());
    }
    if (random() % 500 == 0) {
      list.clear();
      model.clear();
    }
    ASSERT_EQ(list.size(), model.size());
    ASSERT_TRUE(std::equal(list.begin(), list.end(), model.begin()));
    for (const auto& element : model) ASSERT_EQ(element.use_count(), 2);
  }
}

}  // namespace
}  // namespace capstan
