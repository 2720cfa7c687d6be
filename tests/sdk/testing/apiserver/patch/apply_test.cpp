#include "apiserver/patch/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "apiserver/codec/decoding.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// An object to which configurations are applied step by step.
class ApplyTest : public ::testing::Test {
 protected:
  static std::string Configuration(std::string_view spec, std::string_view metadata = "{}") {
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":)" + std::string(metadata) +
           R"(,"spec":)" + std::string(spec) + "}";
  }
  static std::string PodSpec(std::string_view spec) {
    return Configuration(R"({"template":{"spec":)" + std::string(spec) + "}}");
  }

  Status Apply(std::string manager, std::string_view configuration, bool force = false) {
    ApplyOptions options;
    options.field_manager = std::move(manager);
    options.force = force;
    options.api_version = "apps/v1";
    options.now = "2026-01-01T00:00:0" + std::to_string(++second_) + "Z";
    Result<json::Value> result = ApplyConfiguration(live_, Json(configuration), type_, options);
    if (!result.ok()) return result.status();
    Result<Decoded> decoded = Conform(std::move(*result), type_, FieldValidation::kStrict);
    if (!decoded.ok()) return decoded.status();
    live_ = std::move(decoded->object);
    return Status::Ok();
  }

  std::string Spec() const { return json::ToJson(live_.Get("spec")); }
  std::string PodSpecField(std::string_view field) const {
    return json::ToJson(live_.Get("spec", "template", "spec", field));
  }
  // The fields that a manager owns, or "" when it has no entry.
  std::string Fields(std::string_view manager) const {
    for (const json::Value& entry : live_.Get("metadata", "managedFields").items()) {
      if (entry.Get("manager").AsString() == manager) return json::ToJson(entry.Get("fieldsV1"));
    }
    return "";
  }

  const ObjectType& type_ = *SchemaSet::BuiltIn().Find("apps/v1.Deployment");
  json::Value live_;
  int second_ = 0;
};

TEST_F(ApplyTest, RecordsTheFieldsOfAManager) {
  ASSERT_TRUE(Apply("m1", Configuration(
                              R"({"replicas":2,"paused":null,"selector":{"matchLabels":{"a":"b"}},
          "template":{"spec":{"containers":[{"name":"c","args":["x"],
          "env":[{"name":"A","value":"1"}],"ports":[{"containerPort":80}],
          "resources":{"limits":{"cpu":"1"}}}],"nodeSelector":{},"tolerations":[]}}})",
                              R"({"name":"d","labels":{"l":"1"},"finalizers":["a.b/c"]})"))
                  .ok());
  EXPECT_EQ(Fields("m1"),
            R"({"f:metadata":{"f:finalizers":{"v:\"a.b/c\"":{}},"f:labels":{"f:l":{}}},)"
            R"("f:spec":{"f:paused":{},"f:replicas":{},"f:selector":{},"f:template":{"f:spec":{)"
            R"("f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},"f:env":{)"
            R"("k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}}},"f:name":{},)"
            R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
            R"("f:containerPort":{}}},"f:resources":{"f:limits":{"f:cpu":{}}}}},)"
            R"("f:nodeSelector":{},"f:tolerations":{}}}}})");
  const json::Value& entry = live_.Get("metadata", "managedFields").items()[0];
  EXPECT_EQ(entry.Get("operation").AsString(), "Apply");
  EXPECT_EQ(entry.Get("apiVersion").AsString(), "apps/v1");
  EXPECT_EQ(entry.Get("fieldsType").AsString(), "FieldsV1");
  EXPECT_EQ(entry.Get("time").AsString(), "2026-01-01T00:00:01Z");
}

TEST_F(ApplyTest, RemovesFieldsThatAreNoLongerApplied) {
  ASSERT_TRUE(Apply("m1", PodSpec(R"({"containers":[{"name":"a"},{"name":"b",
                                  "livenessProbe":{"httpGet":{"port":1}}}],"hostname":"h"})"))
                  .ok());
  live_.Mutable("spec", "template", "spec", "containers").MutableItems()[0].Set("image", "set");
  ASSERT_TRUE(Apply("m1", PodSpec(R"({"containers":[{"name":"b"}]})")).ok());
  EXPECT_EQ(PodSpecField("containers"), R"([{"name":"b","resources":{}}])");
  EXPECT_EQ(PodSpecField("hostname"), "null");
}

TEST_F(ApplyTest, KeepsTheNameWhenNoOtherMetadataIsApplied) {
  ASSERT_TRUE(Apply("me", Configuration("{}", R"({"name":"web","labels":{"a":"b"}})")).ok());
  ASSERT_TRUE(Apply("me", Configuration("{}", R"({"name":"web"})")).ok());
  EXPECT_EQ(live_.Get("metadata", "name").AsString(), "web");
  EXPECT_EQ(live_.Get("metadata").Find("labels"), nullptr);
}

TEST_F(ApplyTest, KeepsFieldsThatAnotherManagerApplies) {
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3,"minReadySeconds":1})")).ok());
  ASSERT_TRUE(Apply("m2", Configuration(R"({"replicas":3})")).ok());
  ASSERT_TRUE(Apply("m1", Configuration("{}")).ok());
  EXPECT_EQ(live_.Get("spec", "replicas").AsInteger(), 3);
  EXPECT_TRUE(live_.Get("spec", "minReadySeconds").IsNull());
  ASSERT_TRUE(Apply("m2", Configuration("{}")).ok());
  EXPECT_TRUE(live_.Get("spec", "replicas").IsNull());
}

TEST_F(ApplyTest, KeepsFieldsWithoutAManager) {
  live_ = Json(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":5}})");
  ASSERT_TRUE(Apply("m1", Configuration(R"({"paused":true})")).ok());
  ASSERT_TRUE(Apply("m1", Configuration("{}")).ok());
  EXPECT_EQ(live_.Get("spec", "replicas").AsInteger(), 5);
}

TEST_F(ApplyTest, ConflictsWithTheValueOfAnotherManager) {
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3})")).ok());
  const json::Value before = live_;
  const Status status = Apply("m2", Configuration(R"({"replicas":4})"));
  EXPECT_TRUE(status.IsConflict());
  EXPECT_EQ(status.http_code(), 409);
  EXPECT_EQ(status.message(), "Apply failed with 1 conflict: conflict with \"m1\": .spec.replicas");
  ASSERT_EQ(status.causes().size(), 1U);
  EXPECT_EQ(status.causes()[0].reason, "FieldManagerConflict");
  EXPECT_EQ(status.causes()[0].message, "conflict with \"m1\"");
  EXPECT_EQ(status.causes()[0].field, ".spec.replicas");
  EXPECT_EQ(live_, before);
}

TEST_F(ApplyTest, ListsConflictsByManager) {
  ASSERT_TRUE(Apply("m1", PodSpec(R"({"containers":[{"name":"c","image":"i","ports":[
                                  {"containerPort":80,"name":"a"}]}]})"))
                  .ok());
  ASSERT_TRUE(Apply("m0", Configuration(R"({"replicas":1})")).ok());
  const Status status = Apply("m2", Configuration(R"({"replicas":2,"template":{"spec":{
      "containers":[{"name":"c","image":"j","ports":[{"containerPort":80,"name":"b"}]}]}}})"));
  EXPECT_EQ(status.message(),
            "Apply failed with 3 conflicts: conflicts with \"m0\":\n- .spec.replicas\n"
            "conflicts with \"m1\":\n- .spec.template.spec.containers[name=\"c\"].image\n"
            "- .spec.template.spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"]"
            ".name");
}

TEST_F(ApplyTest, TakesOverOwnershipWhenForced) {
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3,"paused":true})")).ok());
  ASSERT_TRUE(Apply("m2", Configuration(R"({"replicas":4})"), /*force=*/true).ok());
  EXPECT_EQ(live_.Get("spec", "replicas").AsInteger(), 4);
  EXPECT_EQ(Fields("m1"), R"({"f:spec":{"f:paused":{}}})");
  EXPECT_EQ(Fields("m2"), R"({"f:spec":{"f:replicas":{}}})");
}

TEST_F(ApplyTest, OrdersElementsLikeTheAppliedList) {
  ASSERT_TRUE(Apply("m1", PodSpec(R"({"containers":[{"name":"a"},{"name":"b"}]})")).ok());
  ASSERT_TRUE(Apply("m2", PodSpec(R"({"containers":[{"name":"x"}]})")).ok());
  ASSERT_TRUE(
      Apply("m1", PodSpec(R"({"containers":[{"name":"b"},{"name":"n"},{"name":"a"}]})")).ok());
  std::string names;
  for (const json::Value& item : live_.Get("spec", "template", "spec", "containers").items()) {
    names += item.Get("name").AsString();
  }
  EXPECT_EQ(names, "bxna");
}

TEST_F(ApplyTest, OwnsAnAtomicValueAsAWhole) {
  ASSERT_TRUE(Apply("m1", PodSpec(R"({"nodeSelector":{"x":"y"}})")).ok());
  EXPECT_EQ(Fields("m1"), R"({"f:spec":{"f:template":{"f:spec":{"f:nodeSelector":{}}}}})");
  const Status status = Apply("m2", PodSpec(R"({"nodeSelector":{"z":"y"}})"));
  EXPECT_THAT(status.message(), HasSubstr(".spec.template.spec.nodeSelector"));
}

TEST_F(ApplyTest, TheSameConfigurationChangesNothing) {
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3})")).ok());
  const json::Value before = live_;
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3})")).ok());
  EXPECT_EQ(live_, before);
}

TEST_F(ApplyTest, RefusesFieldsThatAreNotInTheSchema) {
  const std::pair<std::string, const char*> kCases[] = {
      {Configuration(R"({"foo":1})"), ".spec.foo: field not declared in schema"},
      {Configuration(R"({"replicas":"x"})"),
       ".spec.replicas: expected numeric (int or float), got string"},
      {PodSpec(R"({"containers":"x"})"), ".spec.template.spec.containers: expected list, got &{x}"},
      {PodSpec(R"({"containers":["x"]})"),
       ".spec.template.spec.containers: element 0: associative list with keys may not have "
       "non-map elements"},
      {PodSpec(R"({"containers":[{"name":"x"},{"name":"x"}]})"),
       ".spec.template.spec.containers: duplicate entries for key [name=\"x\"]"},
      {Configuration("{}", R"({"finalizers":["a","a"]})"),
       ".metadata.finalizers: duplicate entries for key [=\"a\"]"},
      {Configuration(R"({"selector":{"zap":1}})"),
       ".spec.selector.zap: field not declared in schema"},
  };
  for (const auto& [configuration, error] : kCases) {
    const Status status = Apply("m1", configuration);
    EXPECT_EQ(status.http_code(), 500);
    EXPECT_EQ(
        status.message(),
        "failed to create typed patch object (/; apps/v1, Kind=Deployment): " + std::string(error));
  }
}

TEST_F(ApplyTest, RefusesManagedFieldsInTheConfiguration) {
  const Status status = Apply("m1", Configuration("{}", R"({"managedFields":[]})"));
  EXPECT_EQ(status.http_code(), 400);
  EXPECT_EQ(status.message(), "metadata.managedFields must be nil");
}

TEST_F(ApplyTest, AnUpdateEndsOwnership) {
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3,"paused":true,"minReadySeconds":4})",
                                        R"({"finalizers":["a.b/c","a.b/d"]})"))
                  .ok());
  json::Value after = live_;
  after.Mutable("spec", "replicas") = 9;
  after.Mutable("spec").Erase("paused");
  after.Mutable("metadata", "finalizers").MutableItems().pop_back();
  DropLostOwnership(live_, after, type_);
  live_ = after;
  EXPECT_EQ(Fields("m1"), R"({"f:metadata":{"f:finalizers":{"v:\"a.b/c\"":{}}},)"
                          R"("f:spec":{"f:minReadySeconds":{}}})");
}

TEST_F(ApplyTest, AManagerThatOwnsNothingHasNoEntry) {
  ASSERT_TRUE(Apply("m1", Configuration(R"({"replicas":3})")).ok());
  json::Value after = live_;
  after.Mutable("spec", "replicas") = 9;
  DropLostOwnership(live_, after, type_);
  EXPECT_FALSE(after.Get("metadata").Find("managedFields"));
}

TEST_F(ApplyTest, HandlesManagedFieldsOfAnyShape) {
  for (const char* fields :
       {R"({"f:spec":5})", R"([1])", R"({"k:{":{"v:":{}},"x":{},"":{}})",
        R"({"f:spec":{"k:{\"a\":1}":{},"v:1":{".":{}},"f:replicas":{"f:x":{}}}})"}) {
    live_ = Json(R"({"spec":{"replicas":1},"metadata":{"managedFields":[{"manager":"m0",
        "operation":"Apply","fieldsV1":)" +
                 std::string(fields) + R"(},5,null]}})");
    ApplyOptions options;
    options.field_manager = "m1";
    EXPECT_TRUE(
        ApplyConfiguration(live_, Json(Configuration(R"({"paused":true})")), type_, options).ok())
        << fields;
    options.field_manager = "m0";
    EXPECT_TRUE(
        ApplyConfiguration(live_, Json(Configuration(R"({"paused":true})")), type_, options).ok())
        << fields;
  }
}

}  // namespace
}  // namespace capstan::testing::server
