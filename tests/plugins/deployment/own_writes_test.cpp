#include "deployment/own_writes.h"

#include <gtest/gtest.h>

#include <capstan/testing/simulated_runtime.h>

#include "builders.h"

namespace capstan::deployment {
namespace {

class OwnWritesTest : public ::testing::Test {
 protected:
  void Wrote(std::string_view uid, std::string_view version, bool is_creation = false) {
    writes_.Record(deployment_, {.name = {"default", "web"},
                                 .uid = Uid(uid),
                                 .resource_version = std::string(version),
                                 .is_deployment = false,
                                 .is_creation = is_creation,
                                 .deadline = {}});
  }
  std::optional<Duration> PendingWith(const api::ObjectMeta* cached) {
    return writes_.Pending(deployment_, [&](const OwnWrites::Write&) { return cached; });
  }
  static api::ObjectMeta Cached(std::string_view uid, std::string_view version) {
    api::ObjectMeta metadata;
    metadata.uid = Uid(uid);
    metadata.resourceVersion = std::string(version);
    return metadata;
  }

  testing::SimulatedRuntime runtime_;
  OwnWrites writes_{runtime_.clock()};
  const Uid deployment_ = "d";
};

TEST_F(OwnWritesTest, ArePendingUntilTheCacheIsAsNew) {
  EXPECT_FALSE(PendingWith(nullptr));
  Wrote("rs", "100");
  api::ObjectMeta cached = Cached("rs", "99");
  EXPECT_TRUE(PendingWith(&cached));
  cached.resourceVersion = "101";
  EXPECT_FALSE(PendingWith(&cached));
  cached.resourceVersion = "99";  // settled once and for all
  EXPECT_FALSE(PendingWith(&cached));
}

TEST_F(OwnWritesTest, OfTheSameObjectReplaceEachOther) {
  Wrote("rs", "100");
  Wrote("rs", "105");
  const api::ObjectMeta cached = Cached("rs", "103");
  EXPECT_TRUE(PendingWith(&cached));
}

TEST_F(OwnWritesTest, WaitForACreationButNotForWhatIsGone) {
  Wrote("rs", "100");
  EXPECT_FALSE(PendingWith(nullptr));
  Wrote("rs", "100", true);
  EXPECT_TRUE(PendingWith(nullptr));
}

TEST_F(OwnWritesTest, DoNotWaitForAnObjectThatAnotherHasReplaced) {
  Wrote("rs", "100");
  const api::ObjectMeta cached = Cached("other", "50");
  EXPECT_FALSE(PendingWith(&cached));
}

TEST_F(OwnWritesTest, AreGivenUpAfterHalfAMinute) {
  Wrote("rs", "100", true);
  runtime_.AdvanceBy(std::chrono::seconds(10));
  EXPECT_EQ(PendingWith(nullptr), Duration(std::chrono::seconds(20)));
  runtime_.AdvanceBy(std::chrono::seconds(20));
  EXPECT_FALSE(PendingWith(nullptr));
}

TEST_F(OwnWritesTest, OfUnknownOrderAreTakenAsSeen) {
  EXPECT_TRUE(IsAsNew(Cached("rs", "abc"), "abc"));
  EXPECT_TRUE(IsAsNew(Cached("rs", "abc"), "abd"));
  EXPECT_TRUE(IsAsNew(Cached("rs", "10"), "9"));
  EXPECT_FALSE(IsAsNew(Cached("rs", "9"), "10"));
}

}  // namespace
}  // namespace capstan::deployment
