#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "apiserver/patch/patch.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

using ::testing::HasSubstr;

constexpr char kDeployment[] =
    R"({"metadata":{"finalizers":["e.io/a","e.io/b","e.io/c"],"labels":{"a":"b","c":"d"}},)"
    R"("spec":{"replicas":2,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}},)"
    R"("template":{"spec":{)"
    R"("containers":[{"name":"c1","image":"i1","args":["x"],"env":[{"name":"A","value":"1"},)"
    R"({"name":"B","value":"2"}],"ports":[{"containerPort":80}]},{"name":"c2"},{"name":"c3"}],)"
    R"("volumes":[{"name":"v1","emptyDir":{}}],"nodeSelector":{"n":"s"}}}}})";

Result<json::Value> Apply(std::string_view patch) {
  return ApplyStrategicMergePatch(Json(kDeployment), Json(patch),
                                  *SchemaSet::BuiltIn().Find("apps/v1.Deployment"));
}

std::string PodSpecPatch(std::string_view spec) {
  return R"({"spec":{"template":{"spec":)" + std::string(spec) + "}}}";
}

// A field of the patched pod spec, or the code and text of the error.
std::string PodSpecField(std::string_view spec, std::string_view field) {
  const Result<json::Value> result = Apply(PodSpecPatch(spec));
  if (result.ok()) return json::ToJson(result->Get("spec", "template", "spec", field));
  return std::to_string(result.status().http_code()) + " " + result.status().message();
}

// The patched containers as "c1:i1 c2: c3:".
std::string PatchedContainers(std::string_view spec) {
  const Result<json::Value> result = Apply(PodSpecPatch(spec));
  if (!result.ok()) {
    return std::to_string(result.status().http_code()) + " " + result.status().message();
  }
  std::string text;
  for (const json::Value& item : result->Get("spec", "template", "spec", "containers").items()) {
    text += (text.empty() ? "" : " ") + item.Get("name").AsString() + ":" +
            item.Get("image").AsString();
  }
  return text;
}

std::string Metadata(std::string_view patch, std::string_view field) {
  const Result<json::Value> result = Apply(R"({"metadata":)" + std::string(patch) + "}");
  return result.ok() ? json::ToJson(result->Get("metadata", field)) : result.status().message();
}

// The results in these tests are those of kube-apiserver 1.36.3.
TEST(StrategicMergePatch, MergesListsByKey) {
  EXPECT_EQ(PatchedContainers(R"({"containers":[{"name":"c2","image":"z"}]})"), "c1:i1 c2:z c3:");
  EXPECT_EQ(PodSpecField(R"({"volumes":[{"name":"v2","emptyDir":{}}]})", "volumes"),
            R"([{"emptyDir":{},"name":"v2"},{"emptyDir":{},"name":"v1"}])");
}

TEST(StrategicMergePatch, PutsNewElementsFirstAndKeepsThePatchsOrder) {
  EXPECT_EQ(PatchedContainers(R"({"containers":[{"name":"n","image":"n"}]})"), "n:n c1:i1 c2: c3:");
  EXPECT_EQ(
      PatchedContainers(R"({"containers":[{"name":"c3","image":"z"},{"name":"c1","image":"y"}]})"),
      "c2: c3:z c1:y");
}

TEST(StrategicMergePatch, FollowsSetElementOrder) {
  EXPECT_EQ(PatchedContainers(R"({"$setElementOrder/containers":[{"name":"c3"},{"name":"c1"},
                           {"name":"c2"}],"containers":[{"name":"c1","image":"q"}]})"),
            "c3: c1:q c2:");
  // The live array is changed in place, and its remaining elements order the rest.
  EXPECT_EQ(PatchedContainers(R"({"$setElementOrder/containers":[{"name":"n"},{"name":"c2"}],
                           "containers":[{"name":"n","image":"q"},
                                         {"name":"c1","$patch":"delete"}]})"),
            "c3: n:q c2:");
}

TEST(StrategicMergePatch, DeletesAndReplacesElements) {
  EXPECT_EQ(PatchedContainers(R"({"containers":[{"name":"c2","$patch":"delete"}]})"), "c1:i1 c3:");
  EXPECT_EQ(PatchedContainers(R"({"containers":[{"$patch":"replace"},{"name":"o","image":"p"}]})"),
            "o:p");
}

TEST(StrategicMergePatch, MergesScalarsAsASet) {
  EXPECT_EQ(Metadata(R"({"finalizers":["e.io/d","e.io/a"]})", "finalizers"),
            R"(["e.io/d","e.io/a","e.io/b","e.io/c"])");
  EXPECT_EQ(Metadata(R"({"$deleteFromPrimitiveList/finalizers":["e.io/b"]})", "finalizers"),
            R"(["e.io/a","e.io/c"])");
  EXPECT_EQ(Metadata(R"({"$setElementOrder/finalizers":["e.io/c","e.io/z","e.io/a"],
                         "finalizers":["e.io/z"]})",
                     "finalizers"),
            R"(["e.io/b","e.io/c","e.io/z","e.io/a"])");
}

TEST(StrategicMergePatch, ReplacesListsWithoutAKey) {
  EXPECT_EQ(PodSpecField(R"({"containers":[{"name":"c1","args":["p","q"]}]})", "containers")
                    .find(R"("args":["p","q"])") != std::string::npos,
            true);
}

TEST(StrategicMergePatch, MergesReplacesAndDeletesMaps) {
  EXPECT_EQ(Metadata(R"({"labels":{"c":null,"n":"1"}})", "labels"), R"({"a":"b","n":"1"})");
  EXPECT_EQ(Metadata(R"({"labels":{"$patch":"replace","z":"1"}})", "labels"), R"({"z":"1"})");
  EXPECT_EQ(Metadata(R"({"labels":{"$patch":"delete"}})", "labels"), "{}");
  EXPECT_EQ(Metadata(R"({"labels":null})", "labels"), "null");
}

TEST(StrategicMergePatch, RetainKeysRemovesOtherKeys) {
  EXPECT_EQ(PodSpecField(R"({"volumes":[{"name":"v1","$retainKeys":["name","hostPath"],
                             "hostPath":{"path":"/x"}}]})",
                         "volumes"),
            R"([{"hostPath":{"path":"/x"},"name":"v1"}])");
  EXPECT_EQ(PodSpecField(R"({"$retainKeys":["volumes"],"nodeSelector":{}})", "volumes"),
            "400 invalid patch format of retainKeys");
}

TEST(StrategicMergePatch, TreatsWholeNumbersAsIntegers) {
  const Result<json::Value> result = Apply(R"({"spec":{"replicas":7.0}})");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->Get("spec", "replicas").IsInteger());
}

TEST(StrategicMergePatch, RemovesAllDirectives) {
  const Result<json::Value> result = Apply(
      R"({"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{"$patch":"delete"},
          "podAffinity":{"x":null}}}}}})");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(json::ToJson(result->Get("spec", "template", "spec", "affinity")),
            R"({"podAffinity":{}})");
}

TEST(StrategicMergePatch, AMalformedPatchHasTheErrorOfTheApi) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"containers":[{"image":"x"}]})",
       "500 map: map[image:x] does not contain declared merge key: name"},
      {R"({"containers":[{"$patch":"delete"}]})",
       "500 map: map[$patch:delete] does not contain declared merge key: name"},
      {R"({"containers":[{"name":"c1","$patch":"zap"}]})",
       "500 unknown patch type: zap in map: map[$patch:zap name:c1]"},
      {R"({"containers":[{"name":"c1","$patch":"merge"}]})",
       "500 merging lists cannot yet be specified in the patch"},
      {R"({"$patch":"zap"})", "500 unknown patch type: zap in map: map[$patch:zap]"},
      {R"({"$setElementOrder/containers":"x"})",
       "500 expected a []interface {}, but received a string"},
      {R"({"$setElementOrder/containers":["c1"]})", "500 value for key 0 is not a map"},
      {R"({"$setElementOrder/zzz":[{"name":"c1"}]})",
       "500 unable to find api field in struct PodSpec for the json field \"zzz\""},
      {R"({"$setElementOrder/containers":[{"name":"z"}],"containers":[{"name":"c1"}]})",
       "500 The order in patch list:\n[map[name:c1]]\n doesn't match $setElementOrder list:\n"
       "[map[name:z]]\n"},
      {R"({"$retainKeys":5})", "400 invalid patch format of retainKeys"},
  };
  for (const auto& [patch, error] : kCases) EXPECT_EQ(PatchedContainers(patch), error) << patch;
  EXPECT_THAT(PatchedContainers(R"({"containers":["x"]})"),
              HasSubstr("500 list element types are not identical: [[map["));
}

TEST(StrategicMergePatch, HasItsOwnTypeErrors) {
  const auto worded = [](std::string_view what, std::string_view type) {
    return StrategicPatchTypeError("json: cannot unmarshal " + std::string(what) +
                                   " into Go struct field A.b of type " + std::string(type));
  };
  EXPECT_EQ(worded("string", "int32"), "unrecognized type: int32");
  EXPECT_EQ(worded("number 1.5", "int32"), "cannot convert float64 to int32");
  EXPECT_EQ(worded("number", "string"), "cannot convert int64 to string");
  EXPECT_EQ(worded("object", "[]v1.Container"), "cannot restore slice from map");
  EXPECT_EQ(worded("number", "map[string]string"), "cannot restore map from int64");
  EXPECT_EQ(worded("number", "v1.ObjectMeta"), "cannot restore struct from: int64");
  EXPECT_EQ(StrategicPatchTypeError("unable to parse quantity's suffix"),
            "unable to parse quantity's suffix");
}

}  // namespace
}  // namespace capstan::testing::server
