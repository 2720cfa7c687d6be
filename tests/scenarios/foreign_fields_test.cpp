#include <string>

#include <gmock/gmock.h>

#include "scenario_test.h"

namespace capstan::scenarios {
namespace {

// Fields that Capstan's structs lack, or hold but do not own, must be preserved by every write.
class ForeignFields : public Scenario {};
CAPSTAN_IN_EVERY_WORLD(ForeignFields);

constexpr char kPodSpec[] =
    R"("terminationGracePeriodSeconds":7,)"
    R"("hostAliases":[{"ip":"192.0.2.1","hostnames":["db.example.com"]}],)"
    R"("topologySpreadConstraints":)"
    R"([{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}],)"
    R"("volumes":[{"name":"scratch","emptyDir":{}}],)"
    R"("dnsConfig":{"options":[{"name":"ndots","value":"2"}]},)";

const json::Value& First(const json::Value& list) { return list.items().at(0); }

TEST_P(ForeignFields, ThePodTemplateIsCopiedCompletelyToReplicaSetAndPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 1, .pod_spec = kPodSpec}));

  const json::Value spec = Get().Get("spec", "template", "spec");
  EXPECT_THAT(json::ToJson(spec), ::testing::HasSubstr("topologySpreadConstraints"));
  EXPECT_EQ(First(Get("replicasets").Get("items")).Get("spec", "template", "spec"), spec);
  const json::Value pods = Get("pods");
  const json::Value& pod = First(pods.Get("items")).Get("spec");
  EXPECT_EQ(First(First(pod.Get("hostAliases")).Get("hostnames")).AsString(), "db.example.com");
  EXPECT_EQ(pod.Get("terminationGracePeriodSeconds").AsInteger(), 7);
  EXPECT_EQ(First(pod.Get("dnsConfig", "options")).Get("value").AsString(), "2");
}

TEST_P(ForeignFields, SurviveARolloutAndAScaling) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2, .pod_spec = kPodSpec}));
  const std::string replica_set = "replicasets/" + observer_.Now().replica_sets[0]->metadata.name;
  const std::string metadata =
      R"({"metadata":{"annotations":{"example.com/note":"kept"},"labels":{"tier":"front"},)"
      R"("finalizers":["example.com/audit"]}})";
  Patch("deployments/web", metadata);
  Patch(replica_set, metadata);
  json::Value conditions = Get().Get("status", "conditions");
  conditions.Append(json::Value::Object(
      {{"reason", "Seen"}, {"status", "True"}, {"type", "example.com/Audited"}}));
  Patch("deployments/web/status", R"({"status":{"conditions":)" + json::ToJson(conditions) + "}}");

  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(2));
  Scale(3);
  ASSERT_TRUE(BecomesComplete(3));

  for (const std::string& path : {std::string("deployments/web"), replica_set}) {
    const json::Value object = Get(path);
    EXPECT_EQ(object.Get("metadata", "annotations", "example.com/note").AsString(), "kept") << path;
    EXPECT_EQ(object.Get("metadata", "labels", "tier").AsString(), "front") << path;
    EXPECT_EQ(First(object.Get("metadata", "finalizers")).AsString(), "example.com/audit") << path;
    EXPECT_EQ(First(object.Get("spec", "template", "spec", "hostAliases")).Get("ip").AsString(),
              "192.0.2.1")
        << path;
  }
  EXPECT_EQ(ConditionOf(Get(), "example.com/Audited").Get("reason").AsString(), "Seen");
  EXPECT_EQ(ImageOf(Get(replica_set).Get("spec", "template")), "example.com/web:1");

  // The finalizers would block the deletion of the objects after the test.
  Patch("deployments/web", R"({"metadata":{"finalizers":null}})");
  Patch(replica_set, R"({"metadata":{"finalizers":null}})");
}

TEST_P(ForeignFields, ConcurrentChangesByOthersAreNeverLost) {
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(200)});
  ASSERT_TRUE(Create({.replicas = 4}));

  SetImage("example.com/web:2");
  for (int i = 1; i <= 10; ++i) {
    Annotate("deployments/web", "example.com/count-" + std::to_string(i), std::to_string(i));
    world_->Until([] { return false; }, Milliseconds(50));
  }
  ASSERT_TRUE(BecomesComplete(4));
  const json::Value annotations = Get().Get("metadata", "annotations");
  for (int i = 1; i <= 10; ++i) {
    EXPECT_EQ(annotations.Get("example.com/count-" + std::to_string(i)).AsString(),
              std::to_string(i));
  }
}

}  // namespace
}  // namespace capstan::scenarios
