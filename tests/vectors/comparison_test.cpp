#include "comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reference.h"

namespace capstan::vectors {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const NamespacedName kWeb{"default", "web"};

json::Value Json(std::string_view text) {
  return json::ParseValue(std::string(text)).value().value;
}

json::Value DeploymentObject() {
  return Json(R"({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"name":"web","namespace":"default","uid":"u","resourceVersion":"100",
                  "generation":2,"annotations":{"note":"a"}},
      "spec":{"replicas":3,"paused":false,"selector":{"matchLabels":{"app":"web"}}},
      "status":{"replicas":3,"observedGeneration":2,"conditions":[
          {"type":"Available","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},
          {"type":"Progressing","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
}

json::Value SetObject(const std::string& hash) {
  json::Value set = Json(R"({"apiVersion":"apps/v1","kind":"ReplicaSet",
      "metadata":{"namespace":"default","ownerReferences":[{"uid":"u","controller":true}]},
      "spec":{"replicas":3,"template":{"metadata":{"labels":{}}}},"status":{"replicas":0}})");
  set.Mutable("metadata", "name") = "web-" + hash;
  set.Mutable("metadata", "labels", "pod-template-hash") = hash;
  set.Mutable("spec", "template", "metadata", "labels", "pod-template-hash") = hash;
  return set;
}

json::Value PodObject(const std::string& name) {
  json::Value pod = Json(R"({"metadata":{"namespace":"default","labels":{"app":"web"},
      "ownerReferences":[{"uid":"s"}]},"spec":{"containers":[{"name":"c"}]}})");
  pod.Mutable("metadata", "name") = name;
  return pod;
}

json::Value& Condition(json::Value& deployment, size_t i) {
  return deployment.Mutable("status", "conditions").MutableItems()[i];
}

// One Deployment that is changed on both sides.
class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() {
    before_.deployments[kWeb] = DeploymentObject();
    ours_.after = theirs_.after = before_;
  }
  json::Value& Ours() { return ours_.after.deployments[kWeb]; }
  json::Value& Theirs() { return theirs_.after.deployments[kWeb]; }
  void BothCreateSet(const std::string& our_hash, const std::string& their_hash) {
    ours_.after.replica_sets[{"default", "web-" + our_hash}] = SetObject(our_hash);
    theirs_.after.replica_sets[{"default", "web-" + their_hash}] = SetObject(their_hash);
  }
  static void CreatePod(Outcome& outcome, const std::string& name) {
    outcome.after.pods[{"default", name}] = PodObject(name);
  }
  std::vector<std::string> Found() { return Differences(before_, ours_, theirs_); }

  State before_;
  Outcome ours_;
  Outcome theirs_;
};

TEST_F(ComparisonTest, FindsNoDifferenceBetweenEqualStates) { EXPECT_THAT(Found(), IsEmpty()); }

TEST_F(ComparisonTest, ReportsThePathAndBothValuesOfADifference) {
  Ours().Mutable("spec", "replicas") = 4;
  Ours().Mutable("metadata", "annotations").Erase("note");
  Theirs().Mutable("metadata", "annotations", "a/b") = "x";
  EXPECT_THAT(Found(), ElementsAre("deployments/default/web/metadata/annotations: absent | "
                                   R"({"a/b":"x","note":"a"})",
                                   "deployments/default/web/spec/replicas: 4 | 3"));
}

TEST_F(ComparisonTest, IgnoresTheValueOfTimesThatTheSyncSet) {
  Condition(Ours(), 0).Set("lastTransitionTime", "2026-01-02T00:00:00Z");
  Condition(Theirs(), 0).Set("lastTransitionTime", "2026-01-03T00:00:00Z");
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, ReportsATimeThatOnlyOneSideSet) {
  Condition(Ours(), 0).Set("lastTransitionTime", "2026-01-02T00:00:00Z");
  EXPECT_THAT(Found(), ElementsAre("deployments/default/web/status/conditions/Available/"
                                   R"(lastTransitionTime: "<set>" | "2026-01-01T00:00:00Z")"));
  ours_.after = before_;
  Condition(Theirs(), 0).Set("lastTransitionTime", "2026-01-02T00:00:00Z");
  EXPECT_EQ(Found().size(), 1);
}

TEST_F(ComparisonTest, ReportsAnInvalidTime) {
  Condition(Ours(), 0).Set("lastTransitionTime", "soon");
  Condition(Theirs(), 0).Set("lastTransitionTime", "2026-01-03T00:00:00Z");
  EXPECT_EQ(Found().size(), 1);
}

TEST_F(ComparisonTest, ComparesConditionsByTypeAndNotByOrder) {
  std::swap(Condition(Ours(), 0), Condition(Ours(), 1));
  EXPECT_THAT(Found(), IsEmpty());
  Condition(Ours(), 0).Set("status", "False");
  EXPECT_THAT(Found(), ElementsAre("deployments/default/web/status/conditions/Progressing/status: "
                                   R"("False" | "True")"));
}

TEST_F(ComparisonTest, ReportsADuplicateCondition) {
  const json::Value again = Condition(Ours(), 0);
  Ours().Mutable("status", "conditions").Append(again);
  EXPECT_EQ(Found().size(), 1);
}

TEST_F(ComparisonTest, IgnoresResourceVersionsAndManagedFields) {
  Ours().Mutable("metadata", "resourceVersion") = "200";
  Ours().Mutable("metadata", "managedFields").Append("anybody");
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, ReportsAChangedUidOfAnExistingObject) {
  Ours().Mutable("metadata", "uid") = "v";
  EXPECT_THAT(Found(), ElementsAre(R"(deployments/default/web/metadata/uid: "v" | "u")"));
}

TEST_F(ComparisonTest, AllowsAHigherGenerationAfterASpecWrite) {
  Ours().Mutable("metadata", "generation") = 3;
  EXPECT_EQ(Found().size(), 1) << "nothing was written";
  Ours().Mutable("spec", "replicas") = 4;
  Theirs().Mutable("spec", "replicas") = 4;
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, TreatsAbsentAsEmptyAndAsOmittedZeros) {
  Ours().Mutable("spec").Erase("paused");
  Ours().Mutable("status", "readyReplicas") = 0;
  Ours().Mutable("metadata", "labels") = json::Value::Object();
  Theirs().Mutable("metadata", "finalizers") = json::Value::Array();
  Theirs().Mutable("metadata", "deletionTimestamp") = json::Value();
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, DistinguishesAbsentFromAMeaningfulZero) {
  Ours().Mutable("status", "terminatingReplicas") = 0;
  EXPECT_THAT(Found(),
              ElementsAre("deployments/default/web/status/terminatingReplicas: 0 | absent"));
  ours_.after = before_;
  Ours().Mutable("metadata", "annotations", "empty") = "";
  EXPECT_THAT(Found(), ::testing::Contains(::testing::HasSubstr("annotations/empty")));
}

TEST_F(ComparisonTest, IgnoresTheValueOfANewHash) {
  BothCreateSet("aaa", "5d4");
  ours_.events = {"Normal ScalingReplicaSet Scaled up replica set web-aaa from 0 to 3"};
  theirs_.events = {"Normal ScalingReplicaSet Scaled up replica set web-5d4 from 0 to 3"};
  Condition(Ours(), 1).Set("message", "Created new replica set \"web-aaa\"");
  Condition(Theirs(), 1).Set("message", "Created new replica set \"web-5d4\"");
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, ReportsAnInconsistentHash) {
  BothCreateSet("aaa", "5d4");
  ours_.after.replica_sets[{"default", "web-aaa"}].Mutable("spec", "template", "metadata", "labels",
                                                           "pod-template-hash") = "bbb";
  EXPECT_THAT(Found(), ElementsAre("replicaSets/default/web-<hash 1>/spec/template/metadata/labels/"
                                   R"(pod-template-hash: "bbb" | "<hash 1>")"));
}

TEST_F(ComparisonTest, ReplacesAHashOnlyAsAWholeWord) {
  BothCreateSet("aa", "bb");
  Condition(Ours(), 1).Set("message", "aardvark");
  Condition(Theirs(), 1).Set("message", "bbrdvark");
  EXPECT_EQ(Found().size(), 1);
}

TEST_F(ComparisonTest, ReportsAReplicaSetThatOnlyOneSideCreatedOrDeleted) {
  BothCreateSet("aaa", "5d4");
  theirs_.after.replica_sets.clear();
  EXPECT_THAT(Found(), ElementsAre("replicaSets/default/web-<hash 1>: present | absent"));
  ours_.after.replica_sets.clear();
  theirs_.after.deployments.clear();
  EXPECT_THAT(Found(), ElementsAre("deployments/default/web: present | absent"));
}

TEST_F(ComparisonTest, IgnoresNamesAndServerFieldsOfNewPods) {
  CreatePod(ours_, "web-x1");
  CreatePod(ours_, "web-x2");
  CreatePod(theirs_, "web-new01");
  CreatePod(theirs_, "web-new02");
  json::Value& pod = ours_.after.pods[{"default", "web-x1"}];
  pod.Mutable("metadata", "uid") = "p";
  pod.Mutable("metadata", "creationTimestamp") = "2026-01-01T00:00:00Z";
  pod.Mutable("status", "phase") = "Pending";
  ours_.events = {"Normal SuccessfulCreate Created pod: web-x2",
                  "Normal SuccessfulCreate Created pod: web-x1"};
  theirs_.events = {"Normal SuccessfulCreate Created pod: web-new01",
                    "Normal SuccessfulCreate Created pod: web-new02"};
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, ReportsDifferentNumbersAndContentsOfPods) {
  CreatePod(ours_, "web-x1");
  CreatePod(ours_, "web-x2");
  CreatePod(theirs_, "web-new01");
  EXPECT_THAT(Found(), ElementsAre("pods/default/<pod 2>: present | absent"));
  CreatePod(theirs_, "web-new02");
  for (const char* part : {"labels", "ownerReferences"}) {
    json::Value& metadata = ours_.after.pods[{"default", "web-x2"}].Mutable("metadata");
    const json::Value kept = metadata.Get(part);
    metadata.Erase(part);
    EXPECT_EQ(Found().size(), 1) << part;
    metadata.Set(part, kept);
  }
  ours_.after.pods[{"default", "web-x2"}].Mutable("spec", "nodeName") = "n";
  EXPECT_THAT(Found(), ElementsAre(R"(pods/default/<pod 2>/spec/nodeName: "n" | absent)"));
}

TEST_F(ComparisonTest, TreatsATerminatingPodAsDeleted) {
  before_.pods[{"default", "old"}] = PodObject("old");
  ours_.after.pods = before_.pods;
  EXPECT_THAT(Found(), ElementsAre("pods/default/old: present | absent"));
  ours_.after.pods[{"default", "old"}].Mutable("metadata", "deletionTimestamp") =
      "2026-01-01T00:00:00Z";
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(ComparisonTest, KeepsPodsThatWereTerminatingBefore) {
  before_.pods[{"default", "old"}] = PodObject("old");
  before_.pods[{"default", "old"}].Mutable("metadata", "deletionTimestamp") =
      "2026-01-01T00:00:00Z";
  ours_.after.pods = before_.pods;
  EXPECT_THAT(Found(), ElementsAre("pods/default/old: present | absent"));
}

TEST_F(ComparisonTest, ComparesEventsAsAMultiset) {
  ours_.events = {"Normal A x", "Normal B y", "Normal A x"};
  theirs_.events = {"Normal B y", "Normal A x", "Normal A x"};
  EXPECT_THAT(Found(), IsEmpty());
  theirs_.events = {"Normal B y", "Normal A x", "Warning A x"};
  EXPECT_THAT(Found(), ElementsAre("events: Normal A x | Warning A x"));
  theirs_.events = {"Normal B y", "Normal A x"};
  EXPECT_THAT(Found(), ElementsAre("events: Normal A x | absent"));
}

// The reference adopts "web-a".
class AdoptionTest : public ::testing::Test {
 protected:
  AdoptionTest() {
    vector_.controller = "deployment";
    vector_.key = kWeb;
    vector_.before.deployments[kWeb] = DeploymentObject();
    json::Value set = SetObject("a");
    set.Mutable("metadata").Erase("ownerReferences");
    vector_.before.replica_sets[kSet] = set;
    vector_.after = vector_.before;
  }
  json::Value Owners() {
    return ReferenceOutcome(vector_).after.replica_sets[kSet].Get("metadata", "ownerReferences");
  }

  const NamespacedName kSet{"default", "web-a"};
  Vector vector_;
};

TEST_F(AdoptionTest, IsKeptWithASecondWrite) {
  vector_.after.replica_sets[kSet].Mutable("spec", "replicas") = 5;
  EXPECT_EQ(json::ToJson(Owners()),
            R"([{"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,)"
            R"("kind":"Deployment","name":"web","uid":"u"}])");
}

TEST_F(AdoptionTest, IsNotAssumedForAReplicaSetThatWasNotWritten) {
  EXPECT_TRUE(Owners().IsNull());
}

TEST_F(AdoptionTest, IsNotAssumedForAReplicaSetWithAController) {
  const json::Value owned = SetObject("a").Get("metadata", "ownerReferences");
  vector_.before.replica_sets[kSet].Mutable("metadata", "ownerReferences") = owned;
  vector_.after.replica_sets[kSet].Mutable("metadata", "ownerReferences") = owned;
  vector_.after.replica_sets[kSet].Mutable("spec", "replicas") = 5;
  EXPECT_EQ(Owners(), owned);
}

}  // namespace
}  // namespace capstan::vectors
