#include "apiserver/http/open_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apiserver/http/discovery.h"

namespace capstan::testing::server {
namespace {

using json::Value;
using ::testing::HasSubstr;

constexpr char kKinds[] = "x-kubernetes-group-version-kind";

class OpenApiTest : public ::testing::Test {
 protected:
  Value Get(std::string_view target) {
    const auto answer = discovery_.Serve("GET", *ParseTarget(target), "application/json", {},
                                         {.name = "jane", .uid = {}, .groups = {}});
    EXPECT_TRUE(answer.has_value()) << target;
    if (!answer) return {};
    auto parsed = json::ParseValue(answer->body);
    EXPECT_TRUE(parsed.ok());
    return parsed ? parsed->value : Value();
  }

  ResourceCatalog catalog_;
  Discovery discovery_{catalog_};
};

// Collects every "$ref" in `value`.
void CollectReferences(const Value& value, std::set<std::string>& references) {
  // When it is not a string, "$ref" is the name of a property.
  if (const Value& reference = value.Get("$ref"); reference.IsString()) {
    references.insert(reference.AsString());
  }
  for (const Value& item : value.items()) CollectReferences(item, references);
  for (const auto& member : value.members()) CollectReferences(member.value, references);
}

TEST_F(OpenApiTest, HasOneDocumentPerGroupAndVersion) {
  const Value paths = Get("/openapi/v3").Get("paths");
  for (const char* key : {"api/v1", "apis/apps/v1", "apis/coordination.k8s.io/v1"}) {
    const std::string& url = paths.Get(key, "serverRelativeURL").AsString();
    EXPECT_THAT(url, HasSubstr(std::string("/openapi/v3/") + key + "?hash="));
    EXPECT_EQ(Get(url).Get("openapi").AsString(), "3.0.0");
  }
}

TEST_F(OpenApiTest, ContainsNoDanglingReferences) {
  const Value index = Get("/openapi/v3");
  for (const auto& [key, entry] : index.Get("paths").members()) {
    const Value document = Get(entry.Get("serverRelativeURL").AsString());
    std::set<std::string> references;
    CollectReferences(document, references);
    EXPECT_FALSE(references.empty());
    for (const std::string& reference : references) {
      constexpr std::string_view kPlace = "#/components/schemas/";
      ASSERT_TRUE(reference.starts_with(kPlace)) << reference;
      EXPECT_NE(document.Get("components", "schemas").Find(reference.substr(kPlace.size())),
                nullptr)
          << key << ": " << reference;
    }
  }
}

TEST_F(OpenApiTest, NamesKindsLikeKubeApiserver) {
  const Value schemas = Get("/openapi/v3/apis/apps/v1").Get("components", "schemas");
  for (const char* name :
       {"io.k8s.api.apps.v1.Deployment", "io.k8s.api.apps.v1.DeploymentList",
        "io.k8s.api.apps.v1.DeploymentSpec", "io.k8s.api.apps.v1.RollingUpdateDeployment",
        "io.k8s.api.core.v1.PodTemplateSpec", "io.k8s.api.core.v1.ScaleIOVolumeSource",
        "io.k8s.api.autoscaling.v1.Scale", "io.k8s.api.autoscaling.v1.ScaleSpec",
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}) {
    EXPECT_NE(schemas.Find(name), nullptr) << name;
  }
  EXPECT_EQ(json::ToJson(schemas.Get("io.k8s.api.apps.v1.Deployment", kKinds)),
            R"([{"group":"apps","kind":"Deployment","version":"v1"}])");
}

TEST_F(OpenApiTest, DeclaresHowListsAreMerged) {
  const Value spec = Get("/openapi/v3/api/v1")
                         .Get("components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties");
  const Value& containers = spec.Get("containers");
  EXPECT_EQ(containers.Get("type").AsString(), "array");
  EXPECT_EQ(containers.Get("x-kubernetes-patch-strategy").AsString(), "merge");
  EXPECT_EQ(containers.Get("x-kubernetes-patch-merge-key").AsString(), "name");
  EXPECT_EQ(containers.Get("x-kubernetes-list-type").AsString(), "map");
  EXPECT_EQ(json::ToJson(containers.Get("x-kubernetes-list-map-keys")), R"(["name"])");
  EXPECT_EQ(spec.Get("volumes", "x-kubernetes-patch-strategy").AsString(), "merge,retainKeys");
  EXPECT_EQ(containers.Get("items", "allOf").items().at(0).Get("$ref").AsString(),
            "#/components/schemas/io.k8s.api.core.v1.Container");
}

TEST_F(OpenApiTest, DescribesKindsAndFields) {
  const Value schemas = Get("/openapi/v3/apis/apps/v1").Get("components", "schemas");
  const SchemaSet& types = SchemaSet::BuiltIn();
  const Value& deployment = schemas.Get("io.k8s.api.apps.v1.Deployment");
  const ObjectType& kind = *types.Find("apps/v1.Deployment");
  EXPECT_EQ(deployment.Get("description").AsString(), kind.description);
  // The description is next to the reference, which cannot contain one itself.
  EXPECT_EQ(deployment.Get("properties", "spec", "description").AsString(),
            kind.Find("spec")->description);
  const Value& strategy = schemas.Get("io.k8s.api.apps.v1.DeploymentStrategy");
  EXPECT_EQ(strategy.Get("properties", "type", "description").AsString(),
            types.Find("DeploymentStrategy")->Find("type")->description);
  EXPECT_THAT(strategy.Get("description").AsString(), HasSubstr("pods"));
}

// kubectl leaves validation and dry runs to a server only when it finds this.
TEST_F(OpenApiTest, DeclaresFieldValidationAndDryRunOfPatches) {
  const Value patch =
      Get("/openapi/v3/apis/apps/v1")
          .Get("paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch");
  EXPECT_EQ(patch.Get(kKinds, "kind").AsString(), "Deployment");
  std::set<std::string> names;
  for (const Value& parameter : patch.Get("parameters").items()) {
    EXPECT_EQ(parameter.Get("in").AsString(), "query");
    names.insert(parameter.Get("name").AsString());
  }
  EXPECT_EQ(names, (std::set<std::string>{"dryRun", "fieldManager", "fieldValidation", "force"}));
}

TEST_F(OpenApiTest, HasThePathsOfClusterScopedKinds) {
  const Value paths = Get("/openapi/v3/api/v1").Get("paths");
  EXPECT_NE(paths.Find("/api/v1/nodes/{name}"), nullptr);
  EXPECT_NE(paths.Find("/api/v1/pods"), nullptr);
  EXPECT_NE(paths.Find("/api/v1/namespaces/{namespace}/pods/{name}/status"), nullptr);
  EXPECT_EQ(paths.Find("/api/v1/namespaces/{namespace}/nodes"), nullptr);
}

TEST_F(OpenApiTest, HandlesRecursiveTypes) {
  const Value schemas =
      Get("/openapi/v3/apis/apiextensions.k8s.io/v1").Get("components", "schemas");
  EXPECT_NE(
      schemas.Find("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"),
      nullptr);
}

TEST_F(OpenApiTest, DescribesCustomResources) {
  auto parsed = json::ParseValue(
      R"({"type":"object","properties":{"spec":{"type":"object","required":["size"],
          "properties":{"size":{"type":"integer","minimum":1,"description":"How large."},
                        "mode":{"type":"string","enum":["a","b"]}}}}})");
  ASSERT_TRUE(parsed.ok());
  auto schema = SchemaSet::OfCustomResource("Widget", parsed->value);
  ASSERT_TRUE(schema.ok()) << schema.status().message();
  std::shared_ptr<const SchemaSet> set = *std::move(schema);
  const ObjectType* type = set->Find("Widget");
  ASSERT_NE(type, nullptr);
  catalog_.Add({.group = "stable.example.com",
                .version = "v1",
                .name = "widgets",
                .singular = "widget",
                .kind = "Widget",
                .type = type,
                .own_schema = set});
  const Value widget = Get("/openapi/v3/apis/stable.example.com/v1")
                           .Get("components", "schemas", "com.example.stable.v1.Widget");
  EXPECT_EQ(json::ToJson(widget.Get(kKinds)),
            R"([{"group":"stable.example.com","kind":"Widget","version":"v1"}])");
  const Value& spec = widget.Get("properties", "spec");
  EXPECT_EQ(json::ToJson(spec.Get("required")), R"(["size"])");
  EXPECT_EQ(spec.Get("properties", "size", "type").AsString(), "integer");
  EXPECT_EQ(spec.Get("properties", "size", "description").AsString(), "How large.");
  EXPECT_EQ(json::ToJson(spec.Get("properties", "mode", "enum")), R"(["a","b"])");
}

}  // namespace
}  // namespace capstan::testing::server
