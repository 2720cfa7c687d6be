#include <capstan/controller/conditions.h>

#include <gtest/gtest.h>

#include <string>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>

namespace capstan {
namespace {

using api::Time;
using api::apps::v1::DeploymentCondition;
using api::apps::v1::ReplicaSetCondition;

Time TimeAt(int64_t seconds) { return Time::FromSeconds(1'800'000'000 + seconds); }

// Tests of all condition structs with a reason and a message.
template <class C>
class Conditions : public ::testing::Test {
 protected:
  static C Of(std::string_view type, std::string_view status, std::string_view reason,
              std::string message, int64_t at) {
    return NewCondition<C>(type, status, reason, std::move(message), TimeAt(at));
  }

  List<C> conditions_ = {Of("A", "True", "Why", "one", 0), Of("B", "True", "Why", "two", 0)};
};
using ConditionStructs = ::testing::Types<DeploymentCondition, ReplicaSetCondition>;
TYPED_TEST_SUITE(Conditions, ConditionStructs);

TYPED_TEST(Conditions, AreFoundByType) {
  EXPECT_EQ(FindCondition(this->conditions_, "B")->message, "two");
  EXPECT_EQ(FindCondition(this->conditions_, "C"), nullptr);
  EXPECT_EQ(FindCondition(List<TypeParam>(), "A"), nullptr);
}

TYPED_TEST(Conditions, AreTrueOnlyWithStatusTrue) {
  this->conditions_[1].status = "Unknown";
  EXPECT_TRUE(IsConditionTrue(this->conditions_, "A"));
  EXPECT_FALSE(IsConditionTrue(this->conditions_, "B"));
  EXPECT_FALSE(IsConditionTrue(this->conditions_, "C"));
}

TYPED_TEST(Conditions, AreUnchangedWhileStatusAndReasonAreUnchanged) {
  SetCondition(this->conditions_, this->Of("A", "True", "Why", "other", 9));
  EXPECT_EQ(this->conditions_.size(), 2U);
  EXPECT_EQ(this->conditions_[0].message, "one");
  EXPECT_EQ(this->conditions_[0].lastTransitionTime, TimeAt(0));
}

TYPED_TEST(Conditions, KeepTheirPositionAndUnknownMembersWhenSet) {
  this->conditions_[0].unknown = RawJson::Parse(R"({"x":1})").value();
  SetCondition(this->conditions_, this->Of("A", "True", "Else", "new", 9));
  EXPECT_EQ(this->conditions_[0].message, "new");
  EXPECT_EQ(this->conditions_[0].unknown.text(), R"({"x":1})");
  EXPECT_EQ(this->conditions_[1].type, "B");
}

TYPED_TEST(Conditions, ChangeTheTransitionTimeOnlyWithTheStatus) {
  SetCondition(this->conditions_, this->Of("A", "True", "Else", "new", 9));
  EXPECT_EQ(this->conditions_[0].lastTransitionTime, TimeAt(0));
  SetCondition(this->conditions_, this->Of("A", "False", "Else", "new", 10));
  EXPECT_EQ(this->conditions_[0].lastTransitionTime, TimeAt(10));
}

TYPED_TEST(Conditions, AreAppendedWhenTheirTypeIsNew) {
  SetCondition(this->conditions_, this->Of("C", "True", "Why", "three", 9));
  ASSERT_EQ(this->conditions_.size(), 3U);
  EXPECT_EQ(this->conditions_[2].type, "C");
}

TYPED_TEST(Conditions, AreReplacedEvenWithTheSameReason) {
  ReplaceCondition(this->conditions_, this->Of("A", "True", "Why", "other", 9));
  EXPECT_EQ(this->conditions_[0].message, "other");
  EXPECT_EQ(this->conditions_[0].lastTransitionTime, TimeAt(0));
}

TYPED_TEST(Conditions, AreAllRemovedByType) {
  this->conditions_.push_back(this->Of("A", "False", "Twice", "", 0));
  RemoveCondition(this->conditions_, "A");
  ASSERT_EQ(this->conditions_.size(), 1U);
  EXPECT_EQ(this->conditions_[0].type, "B");
  RemoveCondition(this->conditions_, "A");
  EXPECT_EQ(this->conditions_.size(), 1U);
}

TYPED_TEST(Conditions, AreEqualWhenOnlyTheirTimesDiffer) {
  EXPECT_TRUE(SaysTheSame(this->conditions_[0], this->Of("A", "True", "Why", "one", 9)));
  EXPECT_FALSE(SaysTheSame(this->conditions_[0], this->Of("A", "True", "Why", "other", 0)));
  EXPECT_FALSE(SaysTheSame(this->conditions_[0], this->Of("A", "False", "Why", "one", 0)));
}

TEST(DeploymentConditions, SetTheLastUpdateTime) {
  List<DeploymentCondition> conditions;
  SetCondition(conditions, NewCondition<DeploymentCondition>("A", "True", "Why", "", TimeAt(0)));
  ReplaceCondition(conditions,
                   NewCondition<DeploymentCondition>("A", "True", "Why", "", TimeAt(9)));
  EXPECT_EQ(conditions[0].lastUpdateTime, TimeAt(9));
  EXPECT_EQ(conditions[0].lastTransitionTime, TimeAt(0));
}

TEST(PodConditions, AreFoundWithoutAReason) {
  List<api::core::v1::PodCondition> conditions = {
      {.type = "Ready", .status = "True", .lastTransitionTime = TimeAt(0)}};
  EXPECT_TRUE(IsConditionTrue(conditions, "Ready"));
  RemoveCondition(conditions, "Ready");
  EXPECT_TRUE(conditions.empty());
}

}  // namespace
}  // namespace capstan
