#include <capstan/api/object.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <capstan/api/apps_v1.h>
#include <capstan/api/coordination_v1.h>
#include <capstan/api/core_v1.h>

#include "decoded.h"

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::coordination::v1::Lease;
using api::core::v1::Pod;
using api::core::v1::PodFromTemplate;
using testing::Decoded;
using ::testing::HasSubstr;

constexpr char kDeployment[] = R"({
  "kind": "Deployment", "apiVersion": "apps/v1",
  "metadata": {"name": "web", "namespace": "default", "uid": "11111111-0000-4000-8000-000000000001",
    "resourceVersion": "100", "generation": 2, "creationTimestamp": "2026-11-19T23:00:14Z",
    "labels": {"app": "web"}, "annotations": {"deployment.kubernetes.io/revision": "6"},
    "finalizers": ["foregroundDeletion"],
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {"f:replicas": {}}}}]},
  "spec": {"replicas": 10, "selector": {"matchLabels": {"app": "web"},
      "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]},
    "template": {"spec": {"containers": [{"name": "c", "image": "img:v1"}]},
                 "metadata": {"creationTimestamp": null, "labels": {"app": "web"}}},
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": 1}},
    "minReadySeconds": 5, "paused": true, "progressDeadlineSeconds": 600},
  "status": {"observedGeneration": 2, "replicas": 10, "collisionCount": 0,
    "conditions": [{"type": "Progressing", "status": "False", "lastUpdateTime": "2026-11-21T02:40:14Z",
      "lastTransitionTime": "2026-11-21T02:40:14Z", "reason": "ProgressDeadlineExceeded",
      "message": "as before", "observedGeneration": 2}]}})";

TEST(DecodeJson, ReadsADeployment) {
  const auto web = Decoded<Deployment>(kDeployment);
  EXPECT_EQ(web.metadata.name, "web");
  EXPECT_EQ(web.metadata.namespace_, "default");
  EXPECT_EQ(web.metadata.uid.str(), "11111111-0000-4000-8000-000000000001");
  EXPECT_EQ(web.metadata.resourceVersion, "100");
  EXPECT_EQ(web.metadata.generation, 2);
  EXPECT_EQ(web.metadata.creationTimestamp.ToString(), "2026-11-19T23:00:14Z");
  EXPECT_FALSE(web.metadata.deletionTimestamp);
  EXPECT_EQ(web.metadata.finalizers.front(), "foregroundDeletion");
  EXPECT_EQ(web.metadata.annotations.Get("deployment.kubernetes.io/revision"), "6");
  EXPECT_EQ(web.spec.replicas, 10);
  EXPECT_EQ(web.spec.revisionHistoryLimit, std::nullopt);
  EXPECT_EQ(web.spec.selector.matchExpressions[0].operator_, "In");
  EXPECT_EQ(web.spec.selector.matchExpressions[0].values[1], "b");
  EXPECT_EQ(web.spec.template_.StringAt("/spec/containers/0/image"), "img:v1");
  EXPECT_EQ(web.spec.strategy.rollingUpdate->maxUnavailable, api::IntOrString("25%"));
  EXPECT_EQ(web.spec.strategy.rollingUpdate->maxSurge, api::IntOrString(1));
  EXPECT_TRUE(web.spec.paused);
  EXPECT_EQ(web.status.collisionCount, 0);
  ASSERT_EQ(web.status.conditions.size(), 1u);
  EXPECT_EQ(web.status.conditions[0].reason, "ProgressDeadlineExceeded");
  EXPECT_EQ(web.status.conditions[0].unknown.text(), R"({"observedGeneration":2})");
}

TEST(DecodeJson, TreatsNullAsAbsent) {
  const auto web = Decoded<Deployment>(
      R"({"metadata":{"name":null,"labels":null,"creationTimestamp":null,"finalizers":null},
          "spec":{"replicas":null,"template":null,"strategy":{"rollingUpdate":null}},"status":null})");
  EXPECT_TRUE(Equal(web, Deployment{}));
  EXPECT_EQ(Decoded<Deployment>(R"({"metadata":{"labels":{"a":null}}})").metadata.labels,
            (StringMap{{"a", ""}}));
}

TEST(DecodeJson, UsesTheLastOfRepeatedMembers) {
  const auto web = Decoded<Deployment>(
      R"({"metadata":{"name":"a","name":"b","finalizers":["x","y"],"finalizers":["z"],
                      "labels":{"k":"1","k":"2"},"labels":{"l":"3","l":"4"}},
          "spec":{"replicas":1,"replicas":null,"paused":true,"paused":null,
                  "strategy":{"type":"Recreate"},"strategy":{}},
          "status":{"replicas":5},"status":{"readyReplicas":6}})");
  EXPECT_EQ(web.metadata.name, "b");
  EXPECT_EQ(web.metadata.finalizers, (List<InternedString>{"z"}));
  EXPECT_EQ(web.metadata.labels, (StringMap{{"l", "4"}}));
  EXPECT_EQ(web.spec.replicas, std::nullopt);
  EXPECT_FALSE(web.spec.paused);
  EXPECT_TRUE(web.spec.strategy.type.empty());
  EXPECT_EQ(web.status.replicas, 0);
  EXPECT_EQ(web.status.readyReplicas, 6);
}

constexpr char kPod[] = R"({"metadata":{"name":"p","labels":{"app":"web","hash":"1"},
    "annotations":{"controller.kubernetes.io/pod-deletion-cost":"5","other":"x"}},
  "spec":{"nodeName":"n1","containers":[{"name":"c"}],
    "initContainers":[{"name":"once"},{"name":"sidecar","restartPolicy":"Always"}]},
  "status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True"},
      {"type":"Ready","status":"True","lastTransitionTime":"2026-11-21T02:40:14Z"}],
    "containerStatuses":[{"name":"c","restartCount":3,"state":{"running":{}}}]}})";

TEST(DecodeJson, ReadsBoxedMembers) {
  const auto pod = Decoded<Pod>(kPod);
  EXPECT_EQ(pod.metadata.annotations.size(), 2u);
  ASSERT_EQ(pod.spec.extras->initContainers.size(), 2u);
  EXPECT_EQ(pod.spec.extras->initContainers[1].name, "sidecar");
  ASSERT_EQ(pod.status.conditions.size(), 2u);
  EXPECT_EQ(pod.status.conditions[1].type, "Ready");
  EXPECT_FALSE(pod.status.extras.allocated());
  EXPECT_EQ(pod.status.containerStatuses[0].extras->name, "c");
  EXPECT_EQ(pod.status.containerStatuses[0].restartCount, 3);
}

TEST(DecodeJson, SharesEqualLabelsBetweenObjects) {
  const auto a = Decoded<Pod>(kPod);
  const auto b = Decoded<Pod>(R"({"metadata":{"name":"q","labels":{"hash":"1","app":"web"}}})");
  EXPECT_EQ(a.metadata.labels.begin(), b.metadata.labels.begin());
}

TEST(EncodeJson, WritesAPodFromATemplate) {
  PodFromTemplate pod;
  pod.metadata.generateName = "web-5d4-";
  pod.metadata.namespace_ = "default";
  pod.metadata.ownerReferences.push_back({"apps/v1", "ReplicaSet", "web-5d4", "uid-1", true, true});
  pod.spec = *RawJson::Parse(R"({"containers": [{"name": "c"}]})");
  EXPECT_EQ(ToJson(pod), R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"web-5d4-",)"
                         R"("namespace":"default","ownerReferences":[{"apiVersion":"apps/v1",)"
                         R"("kind":"ReplicaSet","name":"web-5d4","uid":"uid-1","controller":true,)"
                         R"("blockOwnerDeletion":true}]},"spec":{"containers":[{"name":"c"}]}})");
}

TEST(EncodeJson, WritesMembersThatTheApiAlwaysWrites) {
  ReplicaSet set;
  set.spec.replicas = 0;
  EXPECT_EQ(ToJson(set), R"({"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"replicas":0,)"
                         R"("selector":{}},"status":{"replicas":0}})");
  Lease lease;
  lease.spec.holderIdentity = "";
  lease.spec.leaseTransitions = 0;
  EXPECT_EQ(ToJson(lease), R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
                           R"("spec":{"holderIdentity":"","leaseTransitions":0}})");
}

TEST(EncodeJson, WritesBackUnknownMembersOfListElements) {
  auto web = Decoded<Deployment>(kDeployment);
  web.status.conditions[0].message = "changed";
  EXPECT_THAT(ToJson(web), HasSubstr(R"("message":"changed","observedGeneration":2})"));
}

TEST(MergePatch, ContainsOnlyTheDifference) {
  const auto from = Decoded<Deployment>(kDeployment);
  auto to = from;
  EXPECT_EQ(MergePatch(from, to), "");
  to.spec.replicas = 3;
  to.spec.paused = false;
  to.spec.progressDeadlineSeconds = std::nullopt;
  to.metadata.annotations.Set("a", "b");
  to.metadata.annotations.Erase("deployment.kubernetes.io/revision");
  EXPECT_EQ(MergePatch(from, to),
            R"({"metadata":{"annotations":{"deployment.kubernetes.io/revision":null,"a":"b"}},)"
            R"("spec":{"replicas":3,"paused":null,"progressDeadlineSeconds":null}})");
}

TEST(MergePatch, RemovesMapEntriesOneByOne) {
  const auto from = Decoded<Pod>(kPod);
  auto to = from;
  to.metadata.labels = {};
  to.metadata.annotations = {};
  EXPECT_EQ(MergePatch(from, to),
            R"({"metadata":{"labels":{"app":null,"hash":null},)"
            R"("annotations":{"controller.kubernetes.io/pod-deletion-cost":null,"other":null}}})");
}

TEST(MergePatch, WritesListsWhole) {
  const auto from = Decoded<Deployment>(kDeployment);
  auto to = from;
  to.metadata.finalizers.clear();
  api::apps::v1::DeploymentCondition& available = to.status.conditions.emplace_back();
  available.type = "Available";
  available.status = "True";
  EXPECT_EQ(MergePatch(from, to),
            R"({"metadata":{"finalizers":null},"status":{"conditions":[{"type":"Progressing",)"
            R"("status":"False","lastUpdateTime":"2026-11-21T02:40:14Z",)"
            R"("lastTransitionTime":"2026-11-21T02:40:14Z","reason":"ProgressDeadlineExceeded",)"
            R"("message":"as before","observedGeneration":2},)"
            R"({"type":"Available","status":"True"}]}})");
}

TEST(MergePatch, NeverWritesAReadOnlyList) {
  const auto from = Decoded<Pod>(kPod);
  auto to = from;
  to.status.containerStatuses.clear();
  to.spec.extras.Edit().initContainers.clear();
  EXPECT_EQ(MergePatch(from, to), "");
}

TEST(MergePatch, OmitsASemanticallyEqualRawPart) {
  const auto from = Decoded<Deployment>(kDeployment);
  auto to = from;
  to.spec.template_ = to.spec.template_.Without("/metadata/creationTimestamp");
  EXPECT_EQ(MergePatch(from, to), "");
  to.spec.template_ = to.spec.template_.With("/metadata/labels/hash", RawJson::String("1"))
                          .Without("/metadata/labels/app");
  EXPECT_EQ(MergePatch(from, to), R"({"spec":{"template":{"metadata":{"creationTimestamp":null,)"
                                  R"("labels":{"app":null,"hash":"1"}}}}})");
}

TEST(MergePatch, ContainsAChangedResourceVersion) {
  const auto from = Decoded<Pod>(kPod);
  auto to = from;
  to.metadata.resourceVersion = "7";
  EXPECT_EQ(MergePatch(from, to), R"({"metadata":{"resourceVersion":"7"}})");
}

// With its reference counts a Pod takes an allocation of 240 bytes, like any Pod of up to 216.
TEST(Objects, StayWithinTheirSizeLimits) { EXPECT_LE(sizeof(Pod), 208u); }

}  // namespace
}  // namespace capstan
