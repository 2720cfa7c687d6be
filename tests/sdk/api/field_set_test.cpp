#include <capstan/api/field_set.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/object.h>

namespace capstan {
namespace {

using api::apps::v1::Deployment;
using api::core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <ApiObject T>
FieldSet Fields(const std::vector<std::string_view>& paths) {
  auto fields = FieldSet::Of(DescriptorOf<T>(), paths);
  EXPECT_TRUE(fields.ok()) << fields.status().ToString();
  return fields.ok() ? *fields : FieldSet();
}

std::string ProblemOf(std::string_view path) {
  const std::vector<std::string_view> paths = {"status.phase", path};
  const auto fields = FieldSet::Of(DescriptorOf<Pod>(), paths);
  EXPECT_EQ(fields.status().reason(), StatusReason::kInvalidArgument);
  return fields.status().message();
}

template <ApiObject T>
T Projected(std::string_view json, const std::vector<std::string_view>& paths) {
  T object;
  const Status status = DecodeJson(DescriptorOf<T>(), json, &object, Fields<T>(paths));
  EXPECT_TRUE(status.ok()) << status.ToString();
  return object;
}

constexpr std::string_view kFullPod = R"({"metadata":{"name":"p","namespace":"shop","uid":"u",
    "resourceVersion":"5","labels":{"app":"web"},"annotations":{"a/cost":"5","other":"x"},
    "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"o"}],
    "finalizers":["f"]},
  "spec":{"nodeName":"n1","priority":7,"schedulingGates":[{"name":"g"}],
    "volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-p"}},{"name":"tmp"}],
    "initContainers":[{"name":"once"},{"name":"sidecar","restartPolicy":"Always"}],
    "containers":[{"name":"c","image":"i:1","resources":{"requests":{"cpu":"500m"}},
      "ports":[{"name":"http","containerPort":80}]}]},
  "status":{"phase":"Running","hostIP":"192.0.2.1","podIPs":[{"ip":"10.0.0.1"}],"conditions":[
      {"type":"Initialized","status":"True","reason":"Done"},
      {"type":"Ready","status":"False","reason":"Slow","message":"not yet",
       "lastProbeTime":null,"lastTransitionTime":"2026-11-21T02:40:14Z"}],
    "containerStatuses":[{"name":"c","ready":true,"restartCount":3,
      "state":{"running":{"startedAt":"2026-11-21T02:40:14Z"}},"lastState":{}}]}})";

TEST(FieldSet, WithoutPathsKeepsMetadataExceptAnnotations) {
  const auto pod = Projected<Pod>(kFullPod, {});
  EXPECT_EQ(pod.metadata.name, "p");
  EXPECT_EQ(pod.metadata.labels.Get("app"), "web");
  EXPECT_EQ(pod.metadata.ownerReferences.size(), 1u);
  EXPECT_EQ(pod.metadata.finalizers.size(), 1u);
  EXPECT_TRUE(pod.metadata.annotations.empty());
  EXPECT_TRUE(pod.spec.nodeName.empty());
  EXPECT_FALSE(pod.spec.extras.allocated());
  EXPECT_TRUE(pod.status.phase.empty());
  EXPECT_TRUE(pod.status.conditions.empty());
  EXPECT_FALSE(pod.status.extras.allocated());
  EXPECT_EQ(pod.metadata.kept, Fields<Pod>({}));
  EXPECT_THAT(pod.metadata.kept.Paths(), IsEmpty());
}

TEST(FieldSet, SelectsMembersOfStructsListsAndBoxes) {
  const auto pod = Projected<Pod>(
      kFullPod, {"spec.priority", "spec.volumes.persistentVolumeClaim", "spec.containers.resources",
                 "status.podIPs", "status.containerStatuses.restartCount"});
  EXPECT_EQ(pod.spec.extras->priority, 7);
  ASSERT_EQ(pod.spec.extras->volumes.size(), 2u);
  EXPECT_EQ(pod.spec.extras->volumes[0].persistentVolumeClaim->claimName, "data-p");
  EXPECT_TRUE(pod.spec.extras->volumes[0].name.empty());
  EXPECT_EQ(pod.spec.extras->containers[0].resources.requests.Get("cpu"), "500m");
  EXPECT_TRUE(pod.spec.extras->containers[0].image.empty());
  EXPECT_TRUE(pod.spec.extras->schedulingGates.empty());
  EXPECT_EQ(pod.status.extras->podIPs[0].ip, "10.0.0.1");
  EXPECT_TRUE(pod.status.extras->hostIP.empty());
  EXPECT_EQ(pod.status.containerStatuses[0].restartCount, 3);
  EXPECT_FALSE(pod.status.containerStatuses[0].ready);
  EXPECT_FALSE(pod.status.containerStatuses[0].extras.allocated());
}

TEST(FieldSet, SelectsElementsOfListsAndKeysOfMaps) {
  const auto pod = Projected<Pod>(
      kFullPod, {"metadata.annotations[a/cost]", "status.conditions[type=Ready].status",
                 "spec.initContainers[restartPolicy=Always].name"});
  EXPECT_EQ(pod.metadata.annotations, (StringMap{{"a/cost", "5"}}));
  ASSERT_EQ(pod.status.conditions.size(), 1u);
  EXPECT_EQ(pod.status.conditions[0].type, "Ready");
  EXPECT_EQ(pod.status.conditions[0].status, "False");
  EXPECT_TRUE(pod.status.conditions[0].lastTransitionTime.IsZero());
  EXPECT_FALSE(pod.status.conditions[0].extras.allocated());
  ASSERT_EQ(pod.spec.extras->initContainers.size(), 1u);
  EXPECT_EQ(pod.spec.extras->initContainers[0].name, "sidecar");
}

TEST(FieldSet, AllocatesNoBoxForEmptyMembers) {
  const auto pod = Projected<Pod>(
      R"({"spec":{"volumes":[],"schedulingGates":null,"nodeSelector":{}},"status":{"podIPs":[]}})",
      {"spec", "status"});
  EXPECT_FALSE(pod.spec.extras.allocated());
  EXPECT_FALSE(pod.status.extras.allocated());
}

TEST(FieldSet, MergesThePathsOfSeveralReaders) {
  const FieldSet ready = Fields<Pod>({"status.conditions[type=Ready].status", "spec.nodeName"});
  const FieldSet scheduled = Fields<Pod>({"status.conditions[type=PodScheduled].reason"});
  const FieldSet both = ready.Union(scheduled);
  EXPECT_TRUE(both.Contains(ready));
  EXPECT_TRUE(both.Contains(scheduled));
  EXPECT_FALSE(ready.Contains(both));
  EXPECT_EQ(both, scheduled.Union(ready));
  EXPECT_EQ(both, both.Union(ready));
  EXPECT_THAT(both.Paths(), ElementsAre("spec.nodeName", "status.conditions[type=Ready].type",
                                        "status.conditions[type=Ready].status",
                                        "status.conditions[type=Ready].reason",
                                        "status.conditions[type=PodScheduled].type",
                                        "status.conditions[type=PodScheduled].status",
                                        "status.conditions[type=PodScheduled].reason"));
  EXPECT_EQ(both.Union(Fields<Pod>({"status.conditions"})),
            Fields<Pod>({"spec.nodeName", "status.conditions"}));
  EXPECT_TRUE(both.Union(FieldSet()).IsAll());
  EXPECT_TRUE(FieldSet().Contains(both));
  EXPECT_FALSE(both.Contains(FieldSet()));
}

TEST(FieldSet, IsEqualForEquivalentSpellings) {
  EXPECT_EQ(Fields<Pod>({"spec.nodeName", "status.phase"}),
            Fields<Pod>({"status.phase", "spec.nodeName", "metadata.labels"}));
  EXPECT_EQ(Fields<Pod>({"metadata.annotations[a]", "metadata.annotations[b]"}),
            Fields<Pod>({"metadata.annotations[b]", "metadata.annotations[a]"}));
  EXPECT_EQ(Fields<Pod>({"spec", "status", "metadata"}), FieldSet());
}

TEST(FieldSet, RefusesUnknownPaths) {
  EXPECT_THAT(ProblemOf("spec.nodename"),
              HasSubstr("\"spec.nodename\": unknown field \"nodename\"; known fields: volumes, "));
  EXPECT_THAT(ProblemOf(""), HasSubstr("unknown field \"\"; known fields: metadata, spec, status"));
  EXPECT_THAT(ProblemOf("status.phase.x"), HasSubstr("\"phase\" has no described members"));
  EXPECT_THAT(ProblemOf("status.phase[x]"),
              HasSubstr("\"phase\" is not a map or a list of objects"));
  EXPECT_THAT(ProblemOf("status.conditions[Ready]"), HasSubstr("write [MEMBER=VALUE]"));
  EXPECT_THAT(ProblemOf("status.conditions[lastTransitionTime=x]"),
              HasSubstr("member is a string"));
  EXPECT_THAT(ProblemOf("status.conditions[type=Ready"), HasSubstr("a [ has no matching ]"));
  EXPECT_THAT(ProblemOf("status.conditions[type=Ready]status"),
              HasSubstr("a ] must be followed by a ."));
}

TEST(FieldSet, SkipsFieldsThatAreNotKeptEvenOfAWrongType) {
  const auto pod = Projected<Pod>(
      R"({"metadata":{"name":"p"},"spec":{"priority":"high","nodeName":"n"},"status":7})",
      {"spec.nodeName"});
  EXPECT_EQ(pod.spec.nodeName, "n");
}

// --- Patches of the fields that a cache keeps ---

TEST(MergePatch, ContainsOnlyFieldsThatBothObjectsKeep) {
  const auto whole = *FromJson<Pod>(kFullPod);
  const auto cached = Projected<Pod>(
      kFullPod, {"spec.nodeName", "metadata.annotations[a/cost]", "status.conditions[type=Ready]"});
  EXPECT_EQ(MergePatch(whole, cached), "");
  EXPECT_EQ(MergePatch(cached, whole), "");
  auto changed = cached;
  changed.spec.nodeName = "n2";
  changed.metadata.annotations.Set("a/cost", "6");
  const std::string_view patch =
      R"({"metadata":{"annotations":{"a/cost":"6"}},"spec":{"nodeName":"n2"}})";
  EXPECT_EQ(MergePatch(cached, changed), patch);
  EXPECT_EQ(MergePatch(whole, changed), patch);
  auto live = whole;
  live.spec.nodeName = "n2";
  live.spec.extras.Edit().priority = 8;
  EXPECT_EQ(MergePatch(cached, live), R"({"spec":{"nodeName":"n2"}})");
}

TEST(MergePatch, RemovesOnlyKeptKeysOfAMap) {
  const auto cached = Projected<Pod>(kFullPod, {"metadata.annotations[a/cost]"});
  auto changed = cached;
  changed.metadata.annotations.Erase("a/cost");
  EXPECT_EQ(MergePatch(cached, changed), R"({"metadata":{"annotations":{"a/cost":null}}})");
}

TEST(MergePatch, NeverWritesAPartiallyKeptList) {
  const auto cached = Projected<Pod>(kFullPod, {"status.conditions[type=Ready]"});
  auto changed = cached;
  changed.status.conditions.clear();
  EXPECT_EQ(MergePatch(cached, changed), "");
}

TEST(MergePatch, NeverRemovesAPartiallyKeptObject) {
  constexpr std::string_view kDeployment =
      R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}}}})";
  const auto cached = Projected<Deployment>(kDeployment, {"spec.strategy.rollingUpdate.maxSurge"});
  ASSERT_TRUE(cached.spec.strategy.rollingUpdate);
  auto changed = cached;
  changed.spec.strategy.rollingUpdate->maxSurge = api::IntOrString(2);
  EXPECT_EQ(MergePatch(cached, changed),
            R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":2}}}})");
  changed.spec.strategy.rollingUpdate.reset();
  EXPECT_EQ(MergePatch(cached, changed), "");
}

std::string Beyond(const Pod& from, const Pod& to) {
  return CheckDifferenceIsKept(DescriptorOf<Pod>(), &from, &to).message();
}

TEST(MergePatch, ReportsAChangeThatItCannotExpress) {
  const auto cached =
      Projected<Pod>(kFullPod, {"metadata.annotations[a/cost]", "status.conditions[type=Ready]"});
  auto changed = cached;
  changed.metadata.annotations.Set("a/cost", "6");
  changed.metadata.labels.Set("b", "c");
  EXPECT_EQ(Beyond(cached, changed), "");
  changed.spec.nodeName = "n2";
  EXPECT_THAT(Beyond(cached, changed), HasSubstr("Pod shop/p: spec was changed, but is not among"));
  changed = cached;
  changed.status.conditions.clear();
  EXPECT_THAT(Beyond(cached, changed), HasSubstr("status.conditions was changed"));
  changed = cached;
  changed.metadata.annotations.Set("b", "c");
  EXPECT_THAT(Beyond(cached, changed), HasSubstr("metadata.annotations[b] was changed"));
  const auto whole = *FromJson<Pod>(kFullPod);
  EXPECT_EQ(Beyond(cached, whole), "") << "nobody has changed anything";
  EXPECT_EQ(Beyond(whole, changed), "");
}

TEST(PodConditions, AreWrittenBackWithUnknownMembers) {
  const auto from = *FromJson<Pod>(
      R"({"status":{"conditions":[{"type":"Ready","status":"True","observedGeneration":2}]}})");
  auto to = from;
  to.status.conditions[0].status = "False";
  EXPECT_EQ(MergePatch(from, to), R"({"status":{"conditions":[{"type":"Ready","status":"False",)"
                                  R"("observedGeneration":2}]}})");
}

}  // namespace
}  // namespace capstan
