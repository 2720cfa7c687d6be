#include "apiserver/http/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Target, IsSplitIntoUnescapedSegmentsAndParameters) {
  const auto target = ParseTarget("/api/v1/namespaces/a%20b/pods/?labelSelector=a%3Db&watch=1&c+d");
  ASSERT_TRUE(target.ok());
  EXPECT_THAT(target->segments, ElementsAre("api", "v1", "namespaces", "a b", "pods"));
  EXPECT_EQ(target->query.Get("labelSelector"), "a=b");
  EXPECT_TRUE(target->query.GetBool("watch"));
  EXPECT_TRUE(target->query.Has("c d"));
  EXPECT_FALSE(target->query.Has("c"));
}

TEST(Target, IsSplitAtAnEscapedSlash) {
  EXPECT_THAT(ParseTarget("/api/v1/nodes/a%2Fb")->segments,
              ElementsAre("api", "v1", "nodes", "a", "b"));
}

TEST(Target, KeepsEmptySegmentsInTheMiddle) {
  EXPECT_THAT(ParseTarget("/api//nodes")->segments, ElementsAre("api", "", "nodes"));
  EXPECT_THAT(ParseTarget("///")->segments, IsEmpty());
}

TEST(Target, KeepsAPlusInThePath) {
  EXPECT_THAT(ParseTarget("/a+b")->segments, ElementsAre("a+b"));
}

class BadEscape : public ::testing::TestWithParam<const char*> {};

TEST_P(BadEscape, IsMalformed) {
  const Status status = ParseTarget(GetParam()).status();
  EXPECT_EQ(status.reason(), StatusReason::kMalformed);
}

INSTANTIATE_TEST_SUITE_P(Targets, BadEscape,
                         ::testing::Values("/a%", "/a%2", "/a%zz", "/a?b=%", "/a?b=%f"));

class TargetThatIsNotUtf8 : public ::testing::TestWithParam<const char*> {};

TEST_P(TargetThatIsNotUtf8, IsABadRequest) {
  const Status status = ParseTarget(GetParam()).status();
  EXPECT_EQ(status.reason(), StatusReason::kBadRequest);
}

INSTANTIATE_TEST_SUITE_P(Targets, TargetThatIsNotUtf8,
                         ::testing::Values("/a%ff", "/%c0%af", "/a?%80=1"));

TEST(Query, ReturnsTheFirstOfRepeatedParameters) {
  const auto query = Query::Parse("a=1&b=2&a=3&&=x");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->Get("a"), "1");
  EXPECT_THAT(query->All("a"), ElementsAre("1", "3"));
  EXPECT_EQ(query->Get("missing"), "");
  EXPECT_THAT(query->All("missing"), IsEmpty());
}

TEST(Query, ParsesBooleansLikeTheApi) {
  const auto query = Query::Parse("none&empty=&no=0&false=False&yes=1&word=never");
  ASSERT_TRUE(query.ok());
  EXPECT_TRUE(query->GetBool("none"));
  EXPECT_TRUE(query->GetBool("empty"));
  EXPECT_FALSE(query->GetBool("no"));
  EXPECT_FALSE(query->GetBool("false"));
  EXPECT_TRUE(query->GetBool("yes"));
  EXPECT_TRUE(query->GetBool("word"));
  EXPECT_FALSE(query->GetBool("missing"));
}

TEST(Query, ParsesIntegersOrReturnsAnError) {
  const auto query = Query::Parse("a=12&b=-3&c=%2B4&x=x&empty=&large=9223372036854775808&t=1t");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(*query->GetInteger("a"), 12);
  EXPECT_EQ(*query->GetInteger("b"), -3);
  EXPECT_EQ(*query->GetInteger("c"), 4);
  EXPECT_EQ(*query->GetInteger("missing"), std::nullopt);
  EXPECT_EQ(query->GetInteger("x").status().message(),
            "strconv.ParseInt: parsing \"x\": invalid syntax");
  EXPECT_EQ(query->GetInteger("empty").status().message(),
            "strconv.ParseInt: parsing \"\": invalid syntax");
  EXPECT_EQ(query->GetInteger("t").status().message(),
            "strconv.ParseInt: parsing \"1t\": invalid syntax");
  EXPECT_EQ(query->GetInteger("large").status().message(),
            "strconv.ParseInt: parsing \"9223372036854775808\": value out of range");
}

TEST(ResourceVersion, MustBeAnUnsignedNumber) {
  EXPECT_EQ(*ParseResourceVersion(""), 0U);
  EXPECT_EQ(*ParseResourceVersion("0"), 0U);
  EXPECT_EQ(*ParseResourceVersion("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(ParseResourceVersion("-1").status().message(),
            "resourceVersion: Invalid value: \"-1\": strconv.ParseUint: parsing \"-1\": invalid "
            "syntax");
  EXPECT_FALSE(ParseResourceVersion("+1").ok());
  EXPECT_FALSE(ParseResourceVersion("18446744073709551616").ok());
}

}  // namespace
}  // namespace capstan::testing::server
