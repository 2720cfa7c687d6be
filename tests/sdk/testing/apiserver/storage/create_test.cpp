#include <gmock/gmock.h>

#include <regex>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Creation : public WriteTest {};

TEST_F(Creation, SetsUidResourceVersionAndCreationTimestamp) {
  const Answer answer = Create("configmaps", ConfigMap("a"));
  ASSERT_EQ(answer.code, 201) << answer.message();
  const json::Value& metadata = answer.object.Get("metadata");
  const std::regex uuid("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  EXPECT_TRUE(std::regex_match(metadata.Get("uid").AsString(), uuid));
  EXPECT_EQ(metadata.Get("creationTimestamp").AsString(), "2027-01-15T08:00:00Z");
  EXPECT_EQ(metadata.Get("namespace").AsString(), "default");
  EXPECT_EQ(metadata.Get("resourceVersion").AsString(), std::to_string(store_.Version()));
  EXPECT_EQ(answer.object, Stored("configmaps", "a"));
}

TEST_F(Creation, IgnoresSystemFieldsOfTheClient) {
  const Answer answer = Create(
      "configmaps",
      ConfigMap("a", R"(,"uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z","selfLink":"/x",)"
                     R"("deletionTimestamp":"2001-01-01T00:00:00Z","generation":7)"));
  ASSERT_EQ(answer.code, 201) << answer.message();
  const json::Value& metadata = answer.object.Get("metadata");
  EXPECT_NE(metadata.Get("uid").AsString(), "mine");
  EXPECT_EQ(metadata.Get("creationTimestamp").AsString(), "2027-01-15T08:00:00Z");
  EXPECT_EQ(metadata.Find("deletionTimestamp"), nullptr);
  EXPECT_EQ(metadata.Find("selfLink"), nullptr);
}

TEST_F(Creation, StartsWithGenerationOneAndAnEmptyStatus) {
  std::string body = Deployment("web");
  body.insert(body.size() - 1, R"(,"status":{"replicas":9})");
  const Answer answer = Create("deployments.apps", body);
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("metadata", "generation").AsInteger(), 1);
  EXPECT_EQ(answer.object.Get("status", "replicas").AsInteger(), 0);
  EXPECT_EQ(answer.object.Get("spec", "replicas").AsInteger(), 1);
}

TEST_F(Creation, RefusesAnExistingName) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  const Answer answer = Create("configmaps", ConfigMap("a"));
  EXPECT_EQ(answer.code, 409);
  EXPECT_EQ(answer.reason(), "AlreadyExists");
  EXPECT_EQ(answer.message(), R"(configmaps "a" already exists)");
}

TEST_F(Creation, ReportsAnExistingObjectThatIsBeingDeleted) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a", R"(,"finalizers":["x.io/y"])")).code, 201);
  ASSERT_EQ(Delete("configmaps", "a").code, 200);
  EXPECT_EQ(Create("configmaps", ConfigMap("a")).message(),
            R"(object is being deleted: configmaps "a" already exists)");
}

TEST_F(Creation, GeneratesANameWithThePrefix) {
  const Answer answer = Create("configmaps", R"({"metadata":{"generateName":"web-"}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  const std::string& name = answer.object.Get("metadata", "name").AsString();
  EXPECT_TRUE(std::regex_match(name, std::regex("web-[bcdfghjklmnpqrstvwxz2456789]{5}"))) << name;
  EXPECT_TRUE(Exists("configmaps", name));
}

TEST_F(Creation, TruncatesALongPrefix) {
  const std::string prefix(100, 'a');
  const Answer answer =
      Create("configmaps", R"({"metadata":{"generateName":")" + prefix + R"("}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("metadata", "name").AsString().size(), 63u);
}

TEST_F(Creation, NeedsAName) {
  const Answer answer = Create("configmaps", R"({"metadata":{}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.message(),
            R"(ConfigMap "" is invalid: metadata.name: Required value: name or generateName is )"
            "required");
}

TEST_F(Creation, NamesTheFieldOfAnInvalidName) {
  const Answer answer = Create("configmaps", ConfigMap("No_Name"));
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.reason(), "Invalid");
  const json::Value& causes = answer.object.Get("details", "causes");
  ASSERT_EQ(causes.items().size(), 1u);
  EXPECT_EQ(causes.items()[0].Get("field").AsString(), "metadata.name");
  EXPECT_EQ(causes.items()[0].Get("reason").AsString(), "FieldValueInvalid");
}

TEST_F(Creation, RefusesAResourceVersion) {
  const Answer answer = Create("configmaps", ConfigMap("a", R"(,"resourceVersion":"7")"));
  EXPECT_EQ(answer.code, 500);
  EXPECT_EQ(answer.message(), "resourceVersion should not be set on objects to be created");
}

TEST_F(Creation, RefusesANamespaceThatDiffersFromTheRequest) {
  const Answer answer = Create("configmaps", ConfigMap("a", R"(,"namespace":"other")"));
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(
      answer.message(),
      "the namespace of the provided object does not match the namespace sent on the request");
}

TEST_F(Creation, NeedsAnExistingNamespace) {
  const Answer answer = Create("configmaps", ConfigMap("a"), "", "nowhere");
  EXPECT_EQ(answer.code, 404);
  EXPECT_EQ(answer.message(), R"(namespaces "nowhere" not found)");
}

TEST_F(Creation, RefusesATerminatingNamespace) {
  CreateNamespace("old");
  ASSERT_EQ(Delete("namespaces", "old").code, 200);
  const Answer answer = Create("deployments.apps", Deployment("web"), "", "old");
  EXPECT_EQ(answer.code, 403);
  EXPECT_EQ(answer.message(),
            R"(deployments.apps "web" is forbidden: unable to create new content in namespace old )"
            "because it is being terminated");
  const json::Value& cause = answer.object.Get("details", "causes").items().at(0);
  EXPECT_EQ(cause.Get("reason").AsString(), "NamespaceTerminating");
  EXPECT_EQ(cause.Get("field").AsString(), "metadata.namespace");
}

TEST_F(Creation, StoresNothingInADryRun) {
  const int64_t version = store_.Version();
  const Answer answer = Create("configmaps", ConfigMap("a"), "dryRun=All");
  EXPECT_EQ(answer.code, 201);
  EXPECT_FALSE(answer.object.Get("metadata", "uid").AsString().empty());
  EXPECT_EQ(store_.Version(), version);
  EXPECT_FALSE(Exists("configmaps", "a"));
}

TEST_F(Creation, RefusesAnUnknownDryRunValue) {
  const Answer answer = Create("configmaps", ConfigMap("a"), "dryRun=Some");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(),
              StartsWith(R"(CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value)"));
}

TEST_F(Creation, RefusesAnUnknownFieldValidationValue) {
  const Answer answer = Create("configmaps", ConfigMap("a"), "fieldValidation=Maybe");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.message(),
            R"(CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: )"
            R"("Maybe": supported values: "", "Ignore", "Strict", "Warn")");
}

TEST_F(Creation, WarnsOfUnknownFieldsByDefault) {
  const std::string body = R"({"metadata":{"name":"a"},"dta":{}})";
  EXPECT_THAT(Create("configmaps", body).warnings, ElementsAre(R"(unknown field "dta")"));
  EXPECT_EQ(Stored("configmaps", "a").Find("dta"), nullptr);
  const Answer strict = Create("configmaps", body, "fieldValidation=Strict");
  EXPECT_EQ(strict.code, 400);
  EXPECT_EQ(strict.message(),
            R"(ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: )"
            R"(unknown field "dta")");
}

TEST_F(Creation, RefusesAnotherKind) {
  const Answer answer = Create("deployments.apps", Pod("p"));
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(answer.message(),
            R"(Pod in version "v1" cannot be handled as a Deployment: converting (v1.Pod) to )"
            "(apps.Deployment): unknown conversion");
}

TEST_F(Creation, RefusesAnUnknownKind) {
  const Answer answer = Create("configmaps", R"({"apiVersion":"v9","kind":"Thing"})");
  EXPECT_EQ(answer.code, 400);
  EXPECT_THAT(answer.message(), StartsWith(R"(Thing in version "v9" cannot be handled as a )"
                                           R"(ConfigMap: no kind "Thing" is registered)"));
}

TEST_F(Creation, RefusesTheKindInAnotherVersion) {
  const Answer answer =
      Create("events.events.k8s.io",
             R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"default"}})");
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(answer.message(),
            "the API version in the data (v1) does not match the expected API "
            "version (events.k8s.io/v1)");
}

TEST_F(Creation, RefusesBodiesThatAreNotObjects) {
  for (const std::string body : {"", "{", "[]", "7", "\"text\"", "nul", "{}}"}) {
    const Answer answer = Create("configmaps", body);
    EXPECT_EQ(answer.code, 400) << body;
    EXPECT_THAT(answer.message(), HasSubstr("must be of type ConfigMap")) << body;
  }
}

TEST_F(Creation, DropsADuplicateOwnerReference) {
  const std::string owner = R"({"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u"})";
  const Answer answer =
      Create("configmaps", ConfigMap("a", R"(,"ownerReferences":[)" + owner + "," + owner + "]"));
  EXPECT_EQ(answer.code, 201);
  EXPECT_EQ(answer.object.Get("metadata", "ownerReferences").items().size(), 1u);
  ASSERT_EQ(answer.warnings.size(), 1u);
  EXPECT_THAT(answer.warnings[0], HasSubstr("duplicate UID(s) observed: u"));
}

}  // namespace
}  // namespace capstan::testing::server
