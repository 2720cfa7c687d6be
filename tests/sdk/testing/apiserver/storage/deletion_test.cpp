#include <gmock/gmock.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Deletion : public WriteTest {
 protected:
  const json::Value& Metadata(const json::Value& object) { return object.Get("metadata"); }
};

TEST_F(Deletion, RemovesAnObjectWithoutFinalizersAtOnce) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  const std::string uid = UidOf("configmaps", "a");
  const Answer answer = Delete("configmaps", "a");
  EXPECT_EQ(answer.code, 200);
  EXPECT_EQ(answer.object.Get("kind").AsString(), "Status");
  EXPECT_EQ(answer.object.Get("status").AsString(), "Success");
  EXPECT_EQ(answer.object.Get("details", "name").AsString(), "a");
  EXPECT_EQ(answer.object.Get("details", "kind").AsString(), "configmaps");
  EXPECT_EQ(answer.object.Get("details", "uid").AsString(), uid);
  EXPECT_FALSE(Exists("configmaps", "a"));
}

TEST_F(Deletion, AMissingObjectIsNotFound) {
  EXPECT_EQ(Delete("configmaps", "a").message(), R"(configmaps "a" not found)");
}

TEST_F(Deletion, ReturnsTheObjectForSomeKinds) {
  ASSERT_EQ(Create("serviceaccounts", R"({"metadata":{"name":"s"}})").code, 201);
  EXPECT_EQ(Delete("serviceaccounts", "s").object.Get("kind").AsString(), "ServiceAccount");
}

TEST_F(Deletion, OnlyMarksAnObjectWithFinalizers) {
  ASSERT_EQ(Create("deployments.apps", Deployment("web")).code, 201);
  ASSERT_EQ(Merge("deployments.apps", "web", R"({"metadata":{"finalizers":["x.io/y"]}})").code,
            200);
  const Answer answer = Delete("deployments.apps", "web");
  EXPECT_EQ(answer.code, 200);
  EXPECT_EQ(answer.object.Get("kind").AsString(), "Deployment");
  EXPECT_EQ(Metadata(answer.object).Get("deletionTimestamp").AsString(), "2027-01-15T08:00:00Z");
  EXPECT_EQ(Metadata(answer.object).Get("deletionGracePeriodSeconds").AsInteger(), 0);
  EXPECT_EQ(Metadata(answer.object).Get("generation").AsInteger(), 2);

  const int64_t version = store_.Version();
  EXPECT_EQ(Delete("deployments.apps", "web").code, 200);
  EXPECT_EQ(store_.Version(), version);
}

TEST_F(Deletion, SetsTheGracePeriodOfAPod) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  const Answer answer = Delete("pods", "p");
  EXPECT_EQ(answer.code, 200);
  EXPECT_EQ(Metadata(answer.object).Get("deletionGracePeriodSeconds").AsInteger(), 30);
  EXPECT_EQ(Metadata(answer.object).Get("deletionTimestamp").AsString(), "2027-01-15T08:00:30Z");
  EXPECT_TRUE(Exists("pods", "p"));
}

TEST_F(Deletion, CanShortenButNotExtendAGracePeriod) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  ASSERT_EQ(Delete("pods", "p").code, 200);
  ASSERT_EQ(Delete("pods", "p", "gracePeriodSeconds=60").code, 200);
  EXPECT_EQ(Metadata(Stored("pods", "p")).Get("deletionGracePeriodSeconds").AsInteger(), 30);
  ASSERT_EQ(Delete("pods", "p", "gracePeriodSeconds=5").code, 200);
  EXPECT_EQ(Metadata(Stored("pods", "p")).Get("deletionGracePeriodSeconds").AsInteger(), 5);
  EXPECT_EQ(Metadata(Stored("pods", "p")).Get("deletionTimestamp").AsString(),
            "2027-01-15T08:00:05Z");
  runtime_.AdvanceBy(std::chrono::seconds(10));
  ASSERT_EQ(Delete("pods", "p", "gracePeriodSeconds=3").code, 200);
  EXPECT_EQ(Metadata(Stored("pods", "p")).Get("deletionGracePeriodSeconds").AsInteger(), 1);
  ASSERT_EQ(Delete("pods", "p", "gracePeriodSeconds=0").code, 200);
  EXPECT_FALSE(Exists("pods", "p"));
}

TEST_F(Deletion, TreatsANegativeGracePeriodAsOneSecond) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  ASSERT_EQ(Delete("pods", "p", "", R"({"gracePeriodSeconds":-7})").code, 200);
  EXPECT_EQ(Metadata(Stored("pods", "p")).Get("deletionGracePeriodSeconds").AsInteger(), 1);
}

TEST_F(Deletion, HandlesTheMaximumGracePeriod) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  EXPECT_EQ(Delete("pods", "p", "gracePeriodSeconds=9223372036854775807").code, 200);
  EXPECT_EQ(Delete("pods", "p", "gracePeriodSeconds=9223372036854775808").code, 400);
}

TEST_F(Deletion, AnUnscheduledPodIsModifiedBeforeItsRemoval) {
  ASSERT_EQ(Create("pods", Pod("p")).code, 201);
  const int64_t version = store_.Version();
  EXPECT_EQ(Delete("pods", "p").object.Get("kind").AsString(), "Pod");
  EXPECT_FALSE(Exists("pods", "p"));
  int64_t upto = 0;
  const auto changes = store_.Changes("pods", version, MonotonicTime(), std::stop_token(), upto);
  ASSERT_TRUE(changes.ok());
  ASSERT_EQ(changes->size(), 2u);
  EXPECT_EQ(changes->front().type, Change::Type::kModified);
  EXPECT_EQ(changes->back().type, Change::Type::kDeleted);
}

TEST_F(Deletion, AFinishedPodIsRemovedAtOnce) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  ASSERT_EQ(Merge("pods", "p", R"({"status":{"phase":"Succeeded"}})", "status").code, 200);
  ASSERT_EQ(Delete("pods", "p").code, 200);
  EXPECT_FALSE(Exists("pods", "p"));
}

TEST_F(Deletion, ChecksItsPreconditions) {
  ASSERT_EQ(Create("deployments.apps", Deployment("web")).code, 201);
  const std::string uid = UidOf("deployments.apps", "web");
  const Answer answer =
      Delete("deployments.apps", "web", "", R"({"preconditions":{"uid":"other"}})");
  EXPECT_EQ(answer.code, 409);
  EXPECT_EQ(answer.message(),
            R"(Operation cannot be fulfilled on Deployment.apps "web": the UID in the )"
            "precondition (other) does not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_THAT(Delete("deployments.apps", "web", "", R"({"preconditions":{"resourceVersion":"1"}})")
                  .message(),
              HasSubstr("the ResourceVersion in the precondition (1) does not match"));
  EXPECT_EQ(
      Delete("deployments.apps", "web", "", R"({"preconditions":{"uid":")" + uid + R"("}})").code,
      200);
}

TEST_F(Deletion, ThePreconditionHoldsForBothStepsOfAPodDeletion) {
  ASSERT_EQ(Create("pods", Pod("p")).code, 201);
  const std::string version = Metadata(Stored("pods", "p")).Get("resourceVersion").AsString();
  EXPECT_EQ(
      Delete("pods", "p", "", R"({"preconditions":{"resourceVersion":")" + version + R"("}})").code,
      200);
  EXPECT_FALSE(Exists("pods", "p"));
}

TEST_F(Deletion, RefusesUnknownPropagation) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  const Answer answer = Delete("configmaps", "a", "propagationPolicy=Sideways");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.message(),
            R"(DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: )"
            R"("Sideways": supported values: "Foreground", "Background", "Orphan", "nil")");
  EXPECT_EQ(Delete("configmaps", "a", "propagationPolicy=Orphan&orphanDependents=true").code, 422);
  EXPECT_TRUE(Exists("configmaps", "a"));
}

TEST_F(Deletion, RefusesBodiesThatAreNotDeleteOptions) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  for (const std::string body : {"{", "[]", "7", R"({"kind":"Pod"})",
                                 R"({"gracePeriodSeconds":"x"})", R"({"preconditions":7})"}) {
    EXPECT_EQ(Delete("configmaps", "a", "", body).code, 400) << body;
  }
  EXPECT_TRUE(Exists("configmaps", "a"));
}

TEST_F(Deletion, SetsTheFinalizerOfItsPropagationPolicy) {
  ASSERT_EQ(Create("deployments.apps", Deployment("web")).code, 201);
  ASSERT_EQ(Delete("deployments.apps", "web", "propagationPolicy=Foreground").code, 200);
  EXPECT_EQ(Metadata(Stored("deployments.apps", "web")).Get("finalizers"),
            Json(R"(["foregroundDeletion"])"));
  ASSERT_EQ(Delete("deployments.apps", "web", "propagationPolicy=Orphan").code, 200);
  EXPECT_EQ(Metadata(Stored("deployments.apps", "web")).Get("finalizers"), Json(R"(["orphan"])"));
  ASSERT_EQ(Delete("deployments.apps", "web", "propagationPolicy=Background").code, 200);
  EXPECT_FALSE(Exists("deployments.apps", "web"));
}

TEST_F(Deletion, AnswersAcceptedForForegroundDeletion) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a", R"(,"finalizers":["x.io/y"])")).code, 201);
  EXPECT_EQ(Delete("configmaps", "a", "orphanDependents=false").code, 202);
}

TEST_F(Deletion, ADryRunRemovesNothing) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  const int64_t version = store_.Version();
  EXPECT_EQ(Delete("configmaps", "a", "dryRun=All").code, 200);
  EXPECT_EQ(Metadata(Delete("pods", "p", "dryRun=All").object)
                .Get("deletionGracePeriodSeconds")
                .AsInteger(),
            30);
  EXPECT_EQ(store_.Version(), version);
}

TEST_F(Deletion, ANamespaceIsOnlyMarked) {
  CreateNamespace("old");
  const Answer answer = Delete("namespaces", "old");
  EXPECT_EQ(answer.code, 200);
  EXPECT_EQ(answer.object.Get("status", "phase").AsString(), "Terminating");
  EXPECT_FALSE(Metadata(answer.object).Get("deletionTimestamp").IsNull());
  EXPECT_EQ(Delete("namespaces", "old").code, 200);
  EXPECT_TRUE(Exists("namespaces", "old", ""));
}

TEST_F(Deletion, RefusesToDeleteSystemNamespaces) {
  const Answer answer = Delete("namespaces", "default");
  EXPECT_EQ(answer.code, 403);
  EXPECT_EQ(answer.message(),
            R"(namespaces "default" is forbidden: this namespace may not be deleted)");
}

TEST_F(Deletion, ACollectionDeletionHonorsSelectors) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a", R"(,"labels":{"x":"1"})")).code, 201);
  ASSERT_EQ(Create("configmaps", ConfigMap("b", R"(,"labels":{"x":"1"})")).code, 201);
  ASSERT_EQ(Create("configmaps", ConfigMap("c")).code, 201);
  const Answer answer =
      Send({.verb = "deletecollection", .resource = "configmaps", .query = "labelSelector=x%3D1"});
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("kind").AsString(), "ConfigMapList");
  EXPECT_EQ(answer.object.Get("items").items().size(), 2u);
  EXPECT_FALSE(Exists("configmaps", "a"));
  EXPECT_FALSE(Exists("configmaps", "b"));
  EXPECT_TRUE(Exists("configmaps", "c"));
}

class Eviction : public Deletion {
 protected:
  Answer Evict(const std::string& body) {
    return Send({.verb = "create",
                 .resource = "pods",
                 .name = "p",
                 .body = body,
                 .subresource = "eviction"});
  }
};

TEST_F(Eviction, DeletesThePodGracefullyWithACondition) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  const Answer answer = Evict(R"({"metadata":{"name":"p"}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  const json::Value pod = Stored("pods", "p");
  EXPECT_FALSE(Metadata(pod).Get("deletionTimestamp").IsNull());
  const json::Value& conditions = pod.Get("status", "conditions");
  ASSERT_EQ(conditions.items().size(), 1u);
  EXPECT_EQ(conditions.items()[0].Get("type").AsString(), "DisruptionTarget");
}

TEST_F(Eviction, NeedsTheNameInThePath) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  EXPECT_EQ(Evict(R"({"metadata":{"name":"q"}})").message(),
            "name in URL does not match name in Eviction object");
}

TEST_F(Eviction, ADryRunKeepsThePod) {
  ASSERT_EQ(Create("pods", Pod("p", "node")).code, 201);
  const int64_t version = store_.Version();
  EXPECT_EQ(Evict(R"({"metadata":{"name":"p"},"deleteOptions":{"dryRun":["All"]}})").code, 201);
  EXPECT_EQ(store_.Version(), version);
}

class Binding : public Deletion {
 protected:
  Binding() { EXPECT_EQ(Create("pods", Pod("p")).code, 201); }
  Answer Bind(const std::string& target, const std::string& metadata = R"("name":"p")") {
    return Send({.verb = "create",
                 .resource = "pods",
                 .name = "p",
                 .body = R"({"metadata":{)" + metadata + R"(},"target":)" + target + "}",
                 .subresource = "binding"});
  }
};

TEST_F(Binding, SetsTheNodeOfAPod) {
  const Answer answer = Bind(R"({"kind":"Node","name":"n"})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("status").AsString(), "Success");
  const json::Value pod = Stored("pods", "p");
  EXPECT_EQ(pod.Get("spec", "nodeName").AsString(), "n");
  const json::Value& condition = pod.Get("status", "conditions").items().at(0);
  EXPECT_EQ(condition.Get("type").AsString(), "PodScheduled");
  EXPECT_EQ(condition.Get("status").AsString(), "True");
}

TEST_F(Binding, CanBePostedToTheCollection) {
  const Answer answer =
      Create("bindings", R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(Stored("pods", "p").Get("spec", "nodeName").AsString(), "n");
}

TEST_F(Binding, IsPossibleOnlyOnce) {
  ASSERT_EQ(Bind(R"({"name":"n"})").code, 201);
  const Answer answer = Bind(R"({"name":"m"})");
  EXPECT_EQ(answer.code, 409);
  EXPECT_EQ(answer.message(), R"(Operation cannot be fulfilled on pods/binding "p": pod p is )"
                              R"(already assigned to node "n")");
}

TEST_F(Binding, ChecksTheUid) {
  EXPECT_EQ(Bind(R"({"name":"n"})", R"("name":"p","uid":"other")").code, 409);
}

TEST_F(Binding, NeedsANodeAsItsTarget) {
  EXPECT_THAT(Bind("{}").message(), StartsWith("target.name: Required value"));
  EXPECT_THAT(Bind(R"({"kind":"Pod","name":"n"})").message(),
              StartsWith(R"(target.kind: Unsupported value: "Pod")"));
}

}  // namespace
}  // namespace capstan::testing::server
