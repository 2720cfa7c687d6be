#include <gmock/gmock.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::HasSubstr;

class Update : public WriteTest {
 protected:
  Answer Put(const std::string& resource, const std::string& name, const json::Value& object,
             const std::string& query = {}, const std::string& subresource = {}) {
    return Send({.verb = "update",
                 .resource = resource,
                 .name = name,
                 .body = json::ToJson(object),
                 .query = query,
                 .subresource = subresource});
  }
  json::Value Created(const std::string& resource, const std::string& body) {
    const Answer answer = Create(resource, body);
    EXPECT_EQ(answer.code, 201) << answer.message();
    return answer.object;
  }
};

TEST_F(Update, StoresAChangeWithAHigherVersion) {
  json::Value object = Created("configmaps", ConfigMap("a"));
  const std::string before = object.Get("metadata", "resourceVersion").AsString();
  object.Mutable("data", "a") = "2";
  const Answer answer = Put("configmaps", "a", object);
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_NE(answer.version(), before);
  EXPECT_EQ(Stored("configmaps", "a").Get("data", "a").AsString(), "2");
}

TEST_F(Update, WithoutAChangeIsNotAWrite) {
  const json::Value object = Created("deployments.apps", Deployment("web"));
  const int64_t version = store_.Version();
  const Answer answer = Put("deployments.apps", "web", object);
  EXPECT_EQ(answer.code, 200);
  EXPECT_EQ(answer.object, object);
  EXPECT_EQ(store_.Version(), version);
}

TEST_F(Update, AStaleVersionIsAConflict) {
  json::Value object = Created("deployments.apps", Deployment("web"));
  ASSERT_EQ(Merge("deployments.apps", "web", R"({"spec":{"replicas":2}})").code, 200);
  const Answer answer = Put("deployments.apps", "web", object);
  EXPECT_EQ(answer.code, 409);
  EXPECT_EQ(answer.reason(), "Conflict");
  EXPECT_EQ(answer.message(),
            R"(Operation cannot be fulfilled on deployments.apps "web": the object has been )"
            "modified; please apply your changes to the latest version and try again");
}

TEST_F(Update, WithoutAVersionReplacesTheCurrentObject) {
  json::Value object = Created("configmaps", ConfigMap("a"));
  object.Mutable("metadata").Erase("resourceVersion");
  object.Mutable("data", "a") = "2";
  EXPECT_EQ(Put("configmaps", "a", object).code, 200);
}

TEST_F(Update, ALeaseNeedsAVersion) {
  json::Value lease = Created("leases.coordination.k8s.io", R"({"metadata":{"name":"l"}})");
  lease.Mutable("metadata").Erase("resourceVersion");
  const Answer answer = Put("leases.coordination.k8s.io", "l", lease);
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.message(),
            R"(leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid )"
            "value: 0: must be specified for an update");
}

TEST_F(Update, AnotherUidIsAConflict) {
  json::Value object = Created("configmaps", ConfigMap("a"));
  object.Mutable("metadata", "uid") = "other";
  const Answer answer = Put("configmaps", "a", object);
  EXPECT_EQ(answer.code, 409);
  EXPECT_EQ(answer.message(),
            R"(Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, )"
            "Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, "
            "AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object "
            "meta: " +
                UidOf("configmaps", "a"));
}

TEST_F(Update, ANonNumericVersionIsAnError) {
  json::Value object = Created("configmaps", ConfigMap("a"));
  object.Mutable("metadata", "resourceVersion") = "x";
  EXPECT_EQ(Put("configmaps", "a", object).code, 500);
}

TEST_F(Update, AMissingObjectIsNotFound) {
  const Answer answer = Put("configmaps", "a", Json(ConfigMap("a")));
  EXPECT_EQ(answer.code, 404);
  EXPECT_EQ(answer.message(), R"(configmaps "a" not found)");
}

TEST_F(Update, CreatesAMissingLease) {
  const Answer answer =
      Put("leases.coordination.k8s.io", "l", Json(R"({"metadata":{"name":"l"}})"));
  EXPECT_EQ(answer.code, 201) << answer.message();
  EXPECT_FALSE(UidOf("leases.coordination.k8s.io", "l").empty());
}

TEST_F(Update, NeedsTheNameInThePath) {
  const json::Value object = Created("configmaps", ConfigMap("a"));
  EXPECT_EQ(Put("configmaps", "b", object).message(),
            "the name of the object (a) does not match the name on the URL (b)");
  EXPECT_EQ(Put("configmaps", "b", Json("{}")).message(),
            "the name of the object (b based on URL) was undeterminable: name must be provided");
}

TEST_F(Update, KeepsCreationTimestampAndStatus) {
  json::Value object = Created("deployments.apps", Deployment("web"));
  ASSERT_EQ(Merge("deployments.apps", "web", R"({"status":{"replicas":3}})", "status").code, 200);
  object.Mutable("metadata", "creationTimestamp") = "2001-01-01T00:00:00Z";
  object.Mutable("metadata").Erase("resourceVersion");
  object.Mutable("status", "replicas") = 7;
  const Answer answer = Put("deployments.apps", "web", object);
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("status", "replicas").AsInteger(), 3);
  EXPECT_EQ(answer.object.Get("metadata", "creationTimestamp").AsString(), "2027-01-15T08:00:00Z");
}

TEST_F(Update, IncrementsTheGenerationOnlyForSpecChanges) {
  json::Value object = Created("deployments.apps", Deployment("web"));
  object.Mutable("metadata", "labels", "x") = "y";
  object = Put("deployments.apps", "web", object).object;
  EXPECT_EQ(object.Get("metadata", "generation").AsInteger(), 1);
  object.Mutable("spec", "replicas") = 4;
  object = Put("deployments.apps", "web", object).object;
  EXPECT_EQ(object.Get("metadata", "generation").AsInteger(), 2);
}

TEST_F(Update, AStatusUpdateDoesNotChangeTheSpec) {
  json::Value object = Created("deployments.apps", Deployment("web"));
  object.Mutable("spec", "replicas") = 9;
  object.Mutable("status", "replicas") = 2;
  const Answer answer = Put("deployments.apps", "web", object, "", "status");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("spec", "replicas").AsInteger(), 1);
  EXPECT_EQ(answer.object.Get("status", "replicas").AsInteger(), 2);
  EXPECT_EQ(answer.object.Get("metadata", "generation").AsInteger(), 1);
}

TEST_F(Update, AnImmutableSelectorCannotChange) {
  json::Value object = Created("deployments.apps", Deployment("web"));
  object.Mutable("spec", "selector", "matchLabels", "more") = "x";
  object.Mutable("spec", "template", "metadata", "labels", "more") = "x";
  const Answer answer = Put("deployments.apps", "web", object);
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(), HasSubstr("field is immutable"));
}

TEST_F(Update, ADryRunStoresNothing) {
  json::Value object = Created("configmaps", ConfigMap("a"));
  object.Mutable("data", "a") = "2";
  const Answer answer = Put("configmaps", "a", object, "dryRun=All");
  EXPECT_EQ(answer.object.Get("data", "a").AsString(), "2");
  EXPECT_EQ(Stored("configmaps", "a").Get("data", "a").AsString(), "1");
}

TEST_F(Update, RemovingTheLastFinalizerRemovesAnObjectBeingDeleted) {
  Created("configmaps", ConfigMap("a", R"(,"finalizers":["x.io/y"])"));
  ASSERT_EQ(Delete("configmaps", "a").code, 200);
  json::Value object = Stored("configmaps", "a");
  object.Mutable("metadata").Erase("finalizers");
  EXPECT_EQ(Put("configmaps", "a", object, "dryRun=All").code, 200);
  EXPECT_TRUE(Exists("configmaps", "a"));
  EXPECT_EQ(Put("configmaps", "a", object).code, 200);
  EXPECT_FALSE(Exists("configmaps", "a"));
}

TEST_F(Update, CannotAddAFinalizerToAnObjectBeingDeleted) {
  Created("configmaps", ConfigMap("a", R"(,"finalizers":["x.io/y"])"));
  ASSERT_EQ(Delete("configmaps", "a").code, 200);
  json::Value object = Stored("configmaps", "a");
  object.Mutable("metadata", "finalizers").Append("x.io/z");
  const Answer answer = Put("configmaps", "a", object);
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(), HasSubstr("no new finalizers can be added"));
}

TEST_F(Update, RemovingTheFinalizersOfANamespaceRemovesIt) {
  CreateNamespace("old");
  ASSERT_EQ(Delete("namespaces", "old").code, 200);
  json::Value object = Stored("namespaces", "old", "");
  object.Mutable("spec").Erase("finalizers");
  const Answer answer = Put("namespaces", "old", object, "", "finalize");
  EXPECT_EQ(answer.code, 200) << answer.message();
  EXPECT_FALSE(Exists("namespaces", "old", ""));
}

}  // namespace
}  // namespace capstan::testing::server
