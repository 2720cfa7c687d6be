#include <capstan/api/uid.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace capstan {
namespace {

constexpr char kUuid[] = "0f3c9a7e-1b2d-4c5e-8f90-a1b2c3d4e5f6";

TEST(Uid, HoldsAUuidInSixteenBytes) {
  static_assert(sizeof(Uid) == 16);
  EXPECT_EQ(Uid(kUuid).str(), kUuid);
  EXPECT_EQ(Uid(kUuid), Uid(std::string(kUuid)));
  EXPECT_FALSE(Uid(kUuid).empty());
}

TEST(Uid, IsEmptyByDefault) {
  EXPECT_TRUE(Uid().empty());
  EXPECT_EQ(Uid().str(), "");
  EXPECT_EQ(Uid(""), Uid());
}

TEST(Uid, StoresTextThatIsNotAUuid) {
  for (const char* text :
       {"abc", "uid-1", "0F3C9A7E-1B2D-4C5E-8F90-A1B2C3D4E5F6",
        "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-0000-000000000001",
        "0f3c9a7e-1b2d-4c5e-8f90-a1b2c3d4e5fg", "0f3c9a7e01b2d-4c5e-8f90-a1b2c3d4e5f6"}) {
    EXPECT_EQ(Uid(text).str(), text);
    EXPECT_EQ(Uid(text), Uid(std::string(text)));
    EXPECT_FALSE(Uid(text).empty());
  }
  EXPECT_NE(Uid("abc"), Uid("abd"));
}

TEST(Uid, IsOrderedLikeItsText) {
  std::vector<std::string> texts = {"",
                                    "abc",
                                    "zzz",
                                    kUuid,
                                    "00000000-0000-0000-0000-000000000001",
                                    "9fffffff-ffff-ffff-0000-000000000001",
                                    "a0000000-0000-4000-8000-000000000001",
                                    "ffffffff-ffff-ffff-0000-000000000001"};
  std::vector<Uid> uids(texts.begin(), texts.end());
  std::sort(texts.begin(), texts.end());
  std::sort(uids.begin(), uids.end());
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(uids[i].str(), texts[i]);
}

TEST(Uid, WorksAsAHashKey) {
  std::unordered_map<Uid, int> map{{kUuid, 1}, {"abc", 2}};
  EXPECT_EQ(map.at(kUuid), 1);
  EXPECT_EQ(map.at("abc"), 2);
}

}  // namespace
}  // namespace capstan
