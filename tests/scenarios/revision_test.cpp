#include <set>
#include <string>

#include <gmock/gmock.h>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

constexpr char kRevisionHistory[] = "deployment.kubernetes.io/revision-history";
constexpr char kDesiredReplicasAnnotation[] = "deployment.kubernetes.io/desired-replicas";
constexpr char kMaxReplicasAnnotation[] = "deployment.kubernetes.io/max-replicas";
constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";
constexpr char kRollbackTo[] = "deprecated.deployment.rollback.to";

class Revisions : public Scenario {
 protected:
  // Creates a Deployment and rolls it out to a second revision.
  ::testing::AssertionResult CreateTwo() {
    if (auto result = Create({.replicas = 2}); !result) return result;
    // Fields that the first template does not have.
    Patch("deployments/web",
          R"({"spec":{"template":{"metadata":{"annotations":{"note":"new"}},"spec":{"containers":)"
          R"([{"name":"web","image":"example.com/web:2","args":["--new"]}]}}}})");
    return BecomesComplete(2);
  }
  // Waits until the controller has removed the annotation.
  ::testing::AssertionResult RollsBackTo(const std::string& revision) {
    Annotate("deployments/web", kRollbackTo, revision);
    return Eventually("the annotation is gone",
                      [&] { return Annotation(Get(), kRollbackTo).empty(); });
  }
  static std::string Annotation(const json::Value& object, const std::string& key) {
    return object.Get("metadata", "annotations", key).AsString();
  }
  json::Value ReplicaSetOfRevision(const std::string& revision) {
    const json::Value replica_sets = Get("replicasets");
    for (const json::Value& replica_set : replica_sets.Get("items").items()) {
      if (RevisionOf(replica_set) == revision) return replica_set;
    }
    return {};
  }
};
CAPSTAN_IN_EVERY_WORLD(Revisions);

TEST_P(Revisions, TheFirstReplicaSetHasOwnerReferenceAndAnnotations) {
  StartLeader();
  const std::string json = Workload{.replicas = 3}.ToJson();
  const std::string name = R"("name":"web")";
  CreateObject("deployments",
               std::string(json).replace(
                   json.find(name), name.size(),
                   name + R"(,"annotations":{"team":"shop",")" + kLastApplied + R"(":"{}"})"));
  ASSERT_TRUE(BecomesComplete(3));

  const json::Value replica_set = ReplicaSetOfRevision("1");
  const json::Value& owner = replica_set.Get("metadata", "ownerReferences").items().at(0);
  EXPECT_EQ(owner.Get("uid"), Get().Get("metadata", "uid"));
  EXPECT_TRUE(owner.Get("controller").AsBool());
  EXPECT_TRUE(owner.Get("blockOwnerDeletion").AsBool());
  EXPECT_EQ(Annotation(replica_set, kDesiredReplicasAnnotation), "3");
  EXPECT_EQ(Annotation(replica_set, kMaxReplicasAnnotation), "4");
  EXPECT_EQ(Annotation(replica_set, "team"), "shop");
  EXPECT_EQ(Annotation(replica_set, kLastApplied), "") << "it belongs to the Deployment alone";
  EXPECT_EQ(RevisionOf(Get()), "1");
  EXPECT_EQ(Get().Get("metadata", "generation").AsInteger(), 1)
      << "noting the revision is no new generation";
}

TEST_P(Revisions, AnnotationsAndMinReadySecondsAreCopiedWithoutARollout) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2}));
  const size_t mark = observer_.Mark();
  const auto replica_set = [this] { return ReplicaSetOfRevision("1"); };

  Patch("deployments/web",
        R"({"metadata":{"annotations":{"team":"shop"}},"spec":{"minReadySeconds":1}})");
  EXPECT_TRUE(Eventually("the ReplicaSet has both", [&] {
    return Annotation(replica_set(), "team") == "shop" &&
           replica_set().Get("spec", "minReadySeconds").AsInteger() == 1;
  }));
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_EQ(observer_.PodsSince(mark), 2U);
  EXPECT_EQ(observer_.Now().replica_sets.size(), 1U);
}

TEST_P(Revisions, AnnotationsAreCopiedForADeploymentBeingDeleted) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 1}));
  Patch("deployments/web", R"({"metadata":{"finalizers":["example.com/audit"]}})");
  Delete("deployments/web", {.propagation = PropagationPolicy::kBackground});
  Annotate("deployments/web", "team", "shop");
  EXPECT_TRUE(Eventually("the ReplicaSet has it",
                         [&] { return Annotation(ReplicaSetOfRevision("1"), "team") == "shop"; }));
  Patch("deployments/web", R"({"metadata":{"finalizers":null}})");
}

TEST_P(Revisions, ARestoredTemplateGetsANewRevisionAndKeepsItsHistory) {
  StartLeader();
  ASSERT_TRUE(CreateTwo());
  Undo();
  ASSERT_TRUE(BecomesComplete(2));
  const json::Value replica_set = ReplicaSetOfRevision("3");
  EXPECT_EQ(Annotation(replica_set, kRevisionHistory), "1");
  EXPECT_EQ(ImageOf(replica_set.Get("spec", "template")), "example.com/web:1");
  EXPECT_EQ(observer_.Now().replica_sets.size(), 2U);
}

TEST_P(Revisions, TheDeprecatedAnnotationRollsBackToARevision) {
  StartLeader();
  ASSERT_TRUE(CreateTwo());
  const json::Value first = ReplicaSetOfRevision("1").Get("spec", "template", "spec");

  ASSERT_TRUE(RollsBackTo("1"));
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_TRUE(HasEvent("DeploymentRollback", R"(Rolled back deployment "web" to revision 1)"));
  const json::Value pod_template = Get().Get("spec", "template");
  EXPECT_EQ(pod_template.Get("spec"), first) << "with nothing of the second one";
  EXPECT_TRUE(pod_template.Get("metadata", "annotations", "note").IsNull());
  EXPECT_TRUE(pod_template.Get("metadata", "labels", "pod-template-hash").IsNull());
  EXPECT_EQ(RevisionOf(Get()), "3");
  EXPECT_EQ(observer_.Now().replica_sets.size(), 2U);
}

TEST_P(Revisions, TheDeprecatedAnnotationWithZeroRollsBackToTheLastRevision) {
  StartLeader();
  ASSERT_TRUE(CreateTwo());
  ASSERT_TRUE(RollsBackTo("0"));
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_TRUE(HasEvent("DeploymentRollback", R"(Rolled back deployment "web" to revision 1)"));
  EXPECT_EQ(ImageOf(Get().Get("spec", "template")), "example.com/web:1");
}

TEST_P(Revisions, AnImpossibleRollbackIsReportedAndChangesNothing) {
  StartLeader();
  ASSERT_TRUE(CreateTwo());
  const size_t mark = observer_.Mark();
  const json::Value pod_template = Get().Get("spec", "template");

  ASSERT_TRUE(RollsBackTo("7"));
  EXPECT_TRUE(HasEvent("DeploymentRollbackRevisionNotFound",
                       "Unable to find the revision to rollback to."));
  ASSERT_TRUE(RollsBackTo("2"));
  EXPECT_TRUE(HasEvent("DeploymentRollbackTemplateUnchanged",
                       "The rollback revision contains the same template as current deployment "
                       "\"web\""));
  ASSERT_TRUE(BecomesComplete(2));
  EXPECT_EQ(Get().Get("spec", "template"), pod_template);
  EXPECT_EQ(observer_.PodsSince(mark), 2U);
}

TEST_P(Revisions, AreDeletedAlsoWhilePaused) {
  StartLeader();
  ASSERT_TRUE(CreateTwo());
  Pause();
  Patch("deployments/web", R"({"spec":{"revisionHistoryLimit":0}})");
  EXPECT_TRUE(observer_.Eventually("the present one is left", [](const View& view) {
    return view.replica_sets.size() == 1 && view.replica_sets[0]->spec.replicas == 2;
  }));
}

}  // namespace
}  // namespace capstan::scenarios
