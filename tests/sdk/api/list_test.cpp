#include <capstan/api/list.h>

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
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
