#include <gmock/gmock.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PatchWrite : public WriteTest {
 protected:
  PatchWrite() {
    EXPECT_EQ(Create("deployments.apps", Deployment("web")).code, 201);
    EXPECT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  }
  Answer Patch(const std::string& type, const std::string& resource, const std::string& name,
               const std::string& body, const std::string& query = {}) {
    return Send({.verb = "patch",
                 .resource = resource,
                 .name = name,
                 .body = body,
                 .query = query,
                 .content_type = "application/" + type});
  }
  Answer Apply(const std::string& name, const std::string& body, const std::string& query) {
    return Send({.verb = "apply",
                 .resource = "configmaps",
                 .name = name,
                 .body = body,
                 .query = query,
                 .content_type = "application/apply-patch+yaml"});
  }
};

TEST_F(PatchWrite, MergesIntoTheLatestObject) {
  const Answer answer = Merge("deployments.apps", "web", R"({"spec":{"replicas":3}})");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("spec", "replicas").AsInteger(), 3);
  EXPECT_EQ(answer.object.Get("metadata", "generation").AsInteger(), 2);
}

TEST_F(PatchWrite, UsesAResourceVersionAsAPrecondition) {
  const std::string version =
      Stored("configmaps", "a").Get("metadata", "resourceVersion").AsString();
  const std::string patch =
      R"({"metadata":{"resourceVersion":")" + version + R"("},"data":{"a":"2"}})";
  EXPECT_EQ(Merge("configmaps", "a", patch).code, 200);
  const Answer stale = Merge("configmaps", "a", patch);
  EXPECT_EQ(stale.code, 409);
  EXPECT_THAT(stale.message(), HasSubstr("the object has been modified"));
}

TEST_F(PatchWrite, WithoutAChangeIsNotAWrite) {
  const int64_t version = store_.Version();
  EXPECT_EQ(Merge("configmaps", "a", R"({"data":{"a":"1"}})").code, 200);
  EXPECT_EQ(store_.Version(), version);
}

TEST_F(PatchWrite, AMissingObjectIsNotFoundEvenForAMalformedPatch) {
  EXPECT_EQ(Merge("configmaps", "b", "{").code, 404);
  EXPECT_EQ(Merge("leases.coordination.k8s.io", "b", "{}").code, 404);
}

TEST_F(PatchWrite, RefusesMalformedPatches) {
  for (const std::string body : {"", "{", "[]", "7", "\"x\""}) {
    EXPECT_EQ(Patch("merge-patch+json", "configmaps", "a", body).code, 400) << body;
    EXPECT_EQ(Patch("strategic-merge-patch+json", "configmaps", "a", body).code, 400) << body;
  }
  for (const std::string body : {"", "{", "{}", "7", "[7]"}) {
    EXPECT_EQ(Patch("json-patch+json", "configmaps", "a", body).code, 400) << body;
  }
}

TEST_F(PatchWrite, AppliesJsonPatches) {
  const Answer answer = Patch("json-patch+json", "configmaps", "a",
                              R"([{"op":"test","path":"/data/a","value":"1"},)"
                              R"({"op":"replace","path":"/data/a","value":"2"}])");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("data", "a").AsString(), "2");
}

TEST_F(PatchWrite, AFailedJsonPatchTestIsUnprocessable) {
  const Answer answer = Patch("json-patch+json", "configmaps", "a",
                              R"([{"op":"test","path":"/data/a","value":"9"}])");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(Stored("configmaps", "a").Get("data", "a").AsString(), "1");
}

TEST_F(PatchWrite, MergesListsByTheirKeysWhenStrategic) {
  const Answer answer =
      Patch("strategic-merge-patch+json", "deployments.apps", "web",
            R"({"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j"}]}}}})");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("spec", "template", "spec", "containers").items().size(), 2u);
}

TEST_F(PatchWrite, RefusesOtherMediaTypes) {
  const Answer answer = Patch("json", "configmaps", "a", "{}");
  EXPECT_EQ(answer.code, 415);
  EXPECT_EQ(answer.message(),
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/strategic-merge-patch+json, application/apply-patch+yaml");
}

TEST_F(PatchWrite, AWrongTypeIsInvalid) {
  const Answer answer = Merge("deployments.apps", "web", R"({"spec":{"replicas":"three"}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(), StartsWith(R"( "" is invalid: patch: Invalid value: "{\"apiV)"));
}

TEST_F(PatchWrite, WarnsOfUnknownFields) {
  EXPECT_THAT(Merge("deployments.apps", "web", R"({"spec":{"foo":1}})").warnings,
              ElementsAre(R"(unknown field "spec.foo")"));
  EXPECT_EQ(Patch("merge-patch+json", "deployments.apps", "web", R"({"spec":{"foo":1}})",
                  "fieldValidation=Strict")
                .code,
            422);
}

TEST_F(PatchWrite, CannotRenameAnObject) {
  EXPECT_EQ(Merge("configmaps", "a", R"({"metadata":{"name":"b"}})").message(),
            "the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(Merge("configmaps", "a", R"({"metadata":{"namespace":"b"}})").code, 400);
}

TEST_F(PatchWrite, CannotChangeTheKind) {
  EXPECT_EQ(Merge("configmaps", "a", R"({"kind":"Secret"})").code, 422);
}

TEST_F(PatchWrite, CannotChangeTheUid) {
  const Answer answer = Merge("configmaps", "a", R"({"metadata":{"uid":"b"}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(),
              HasSubstr("metadata.uid: Invalid value: \"b\": field is immutable"));
}

TEST_F(PatchWrite, CanBeForcedOnlyForApply) {
  const Answer answer =
      Patch("merge-patch+json", "configmaps", "a", R"({"data":{"a":"2"}})", "force=true");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.message(), R"(PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may )"
                              "not be specified for non-apply patch");
}

TEST_F(PatchWrite, ApplyNeedsAFieldManager) {
  const Answer answer = Apply("b", "{}", "");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.message(), R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required )"
                              "value: is required for apply patch");
}

TEST_F(PatchWrite, ApplyCreatesAMissingObject) {
  const std::string configuration =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  k: v\n";
  const Answer answer = Apply("b", configuration, "fieldManager=me");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("metadata", "managedFields").items().size(), 1u);
  const int64_t version = store_.Version();
  EXPECT_EQ(Apply("b", configuration, "fieldManager=me").code, 200);
  EXPECT_EQ(store_.Version(), version);
}

TEST_F(PatchWrite, ApplyRefusesAnotherVersion) {
  const Answer answer =
      Apply("b", "apiVersion: v2\nkind: ConfigMap\nmetadata:\n  name: b\n", "fieldManager=me");
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(answer.message(), "invalid object type: /v2, Kind=ConfigMap");
}

}  // namespace
}  // namespace capstan::testing::server
