#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "apiserver/patch/patch.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

constexpr char kRejected[] = "422 the server rejected our request due to an error in our request";

std::string JsonPatched(std::string_view target, std::string_view patch) {
  const Result<json::Value> result = ApplyJsonPatch(Json(target), Json(patch));
  if (result.ok()) return json::ToJson(*result);
  return std::to_string(result.status().http_code()) + " " + result.status().message();
}

TEST(JsonPatch, AppliesOperationsInOrder) {
  EXPECT_EQ(JsonPatched(R"({"a":{"b":1},"l":[1,2]})",
                        R"([{"op":"add","path":"/a/c","value":2},
                        {"op":"remove","path":"/a/b"},
                        {"op":"replace","path":"/l/0","value":9},
                        {"op":"copy","from":"/a/c","path":"/d"},
                        {"op":"move","from":"/l/1","path":"/e"},
                        {"op":"test","path":"/e","value":2},
                        {"op":"add","path":"/l/-","value":3}])"),
            R"({"a":{"c":2},"d":2,"e":2,"l":[9,3]})");
}

TEST(JsonPatch, ResolvesListIndices) {
  constexpr char kList[] = R"({"l":[1,2]})";
  const std::pair<const char*, const char*> kCases[] = {
      {R"([{"op":"add","path":"/l/0","value":0}])", R"({"l":[0,1,2]})"},
      {R"([{"op":"add","path":"/l/2","value":0}])", R"({"l":[1,2,0]})"},
      {R"([{"op":"add","path":"/l/3","value":0}])", kRejected},
      {R"([{"op":"add","path":"/l/-1","value":0}])", R"({"l":[1,2,0]})"},
      {R"([{"op":"remove","path":"/l/-1"}])", R"({"l":[1]})"},
      {R"([{"op":"remove","path":"/l/-3"}])", kRejected},
      {R"([{"op":"remove","path":"/l/-"}])", kRejected},
      {R"([{"op":"replace","path":"/l/2","value":0}])", kRejected},
      {R"([{"op":"replace","path":"/l/01","value":0}])", R"({"l":[1,0]})"},
      {R"([{"op":"replace","path":"/l/x","value":0}])", kRejected},
  };
  for (const auto& [patch, result] : kCases) EXPECT_EQ(JsonPatched(kList, patch), result) << patch;
}

TEST(JsonPatch, UnescapesKeys) {
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"add","path":"/a~1b","value":1},
                              {"op":"add","path":"/c~0d","value":2},
                              {"op":"add","path":"/~2","value":3}])"),
            R"({"a/b":1,"c~d":2,"~2":3})");
}

// Extensions of evanphx/json-patch, which the API uses, beyond the RFC.
TEST(JsonPatch, IsAsLenientAsKubeApiserver) {
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"replace","path":"/a","value":1}])"), R"({"a":1})");
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"add","path":"/a"}])"), R"({"a":null})");
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"test","path":"/a"}])"), "{}");
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"test","path":"/a","value":null}])"), "{}");
  EXPECT_EQ(JsonPatched("{}", "[]"), "{}");
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"replace","path":"","value":{"a":1}}])"), R"({"a":1})");
}

TEST(JsonPatch, AnInapplicablePatchIsInvalid) {
  for (const char* patch :
       {R"([{"op":"zap","path":"/a"}])", R"([{"path":"/a","value":1}])",
        R"([{"op":"add","value":1}])", R"([{"op":"add","path":"a","value":1}])",
        R"([{"op":"add","path":"","value":{}}])", R"([{"op":"add","path":"/x/y","value":1}])",
        R"([{"op":"add","path":"/a/y","value":1}])", R"([{"op":"remove","path":"/x"}])",
        R"([{"op":"remove","path":""}])", R"([{"op":"test","path":"/a","value":2}])",
        R"([{"op":"test","path":"/a","value":"1"}])", R"([{"op":"move","path":"/b"}])",
        R"([{"op":"move","from":"/x","path":"/b"}])", R"([{"op":"replace","path":"","value":1}])",
        "[null]"}) {
    EXPECT_EQ(JsonPatched(R"({"a":1})", patch), kRejected) << patch;
  }
}

TEST(JsonPatch, AMalformedPatchIsABadRequest) {
  EXPECT_EQ(JsonPatched("{}", "{}"),
            "400 error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp");
  EXPECT_EQ(JsonPatched("{}", "[1]"),
            "400 error decoding patch: json: cannot unmarshal number into Go value of type "
            "handlers.jsonPatchOp");
  EXPECT_EQ(JsonPatched("{}", R"([{"op":"add","path":5}])"),
            "400 error decoding patch: json: cannot unmarshal number into Go struct field "
            "jsonPatchOp.path of type string");
}

TEST(JsonPatch, HasAtMostTenThousandOperations) {
  const json::Value operation = Json(R"({"op":"test","path":"/x"})");
  json::Value patch = json::Value::Array(json::Value::Items(10'000, operation));
  EXPECT_TRUE(ApplyJsonPatch(json::Value::Object(), patch).ok());
  patch.Append(operation);
  const Status status = ApplyJsonPatch(json::Value::Object(), patch).status();
  EXPECT_EQ(status.http_code(), 413);
}

TEST(JsonPatch, LimitsNestingAndGrowth) {
  json::Value deeper = json::Value::Array();
  std::string path = "/a";
  for (int i = 0; i < 12; ++i) {
    deeper.Append(json::Value::Object({{"op", "copy"}, {"from", "/a"}, {"path", path + "/b"}}));
    std::string twice = path;
    for (int j = 0; j < (1 << i); ++j) twice += "/b";
    path = twice;
  }
  EXPECT_FALSE(ApplyJsonPatch(Json(R"({"a":{}})"), deeper).ok());

  json::Value wider = json::Value::Array();
  for (int i = 0; i < 64; ++i) {
    wider.Append(Json(R"({"op":"copy","from":"/l","path":"/l/-"})"));
  }
  EXPECT_FALSE(ApplyJsonPatch(Json(R"({"l":[1]})"), wider).ok());
}

}  // namespace
}  // namespace capstan::testing::server
