#include <gtest/gtest.h>

#include <string>

#include "apiserver/patch/patch.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

std::string MergePatched(std::string_view target, std::string_view patch) {
  const Result<json::Value> result = ApplyMergePatch(Json(target), Json(patch));
  return result.ok() ? json::ToJson(*result) : result.status().message();
}

// The examples of RFC 7386, appendix A, in which both documents are objects.
TEST(MergePatch, FollowsTheExamplesOfTheRfc) {
  EXPECT_EQ(MergePatched(R"({"a":"b"})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(MergePatched(R"({"a":"b"})", R"({"b":"c"})"), R"({"a":"b","b":"c"})");
  EXPECT_EQ(MergePatched(R"({"a":"b","b":"c"})", R"({"a":null})"), R"({"b":"c"})");
  EXPECT_EQ(MergePatched(R"({"a":["b"]})", R"({"a":"c"})"), R"({"a":"c"})");
  EXPECT_EQ(MergePatched(R"({"a":"c"})", R"({"a":["b"]})"), R"({"a":["b"]})");
  EXPECT_EQ(MergePatched(R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})"),
            R"({"a":{"b":"d"}})");
  EXPECT_EQ(MergePatched(R"({"a":[{"b":"c"}]})", R"({"a":[1]})"), R"({"a":[1]})");
  EXPECT_EQ(MergePatched(R"({"e":null})", R"({"a":1})"), R"({"a":1,"e":null})");
  EXPECT_EQ(MergePatched(R"({})", R"({"a":{"bb":{"ccc":null}}})"), R"({"a":{"bb":{}}})");
}

TEST(MergePatch, ANonObjectReplacesTheTarget) {
  EXPECT_EQ(MergePatched(R"({"a":1})", R"(["c"])"), R"(["c"])");
  EXPECT_EQ(MergePatched(R"({"a":1})", "null"), "Invalid JSON Patch");
}

TEST(MergePatch, DoesNotModifyTheTarget) {
  const json::Value target = Json(R"({"a":{"b":1}})");
  ASSERT_TRUE(ApplyMergePatch(target, Json(R"({"a":{"b":2}})")).ok());
  EXPECT_EQ(json::ToJson(target), R"({"a":{"b":1}})");
}

}  // namespace
}  // namespace capstan::testing::server
