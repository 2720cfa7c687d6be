#include <gmock/gmock.h>

#include "cluster_test.h"

namespace capstan::e2e {
namespace {

// What Capstan's structs do not hold, or hold and do not own, must survive whatever it writes.
class ForeignFields : public ClusterTest {
 protected:
  void Patch(const std::string& object, const std::string& patch,
             const std::string& subresource = "") {
    std::vector<std::string> arguments{"patch", object, "--type=merge", "--patch=" + patch};
    if (!subresource.empty()) arguments.push_back("--subresource=" + subresource);
    Kubectl(std::move(arguments));
  }
};

constexpr char kPodSpec[] =
    "      terminationGracePeriodSeconds: 7\n"
    "      hostAliases: [{ip: 192.0.2.1, hostnames: [db.example.com]}]\n"
    "      topologySpreadConstraints:\n"
    "      - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}\n"
    "      volumes: [{name: scratch, emptyDir: {}}]\n"
    "      dnsConfig: {options: [{name: ndots, value: \"2\"}]}\n";

TEST_F(ForeignFields, TheWholePodTemplateReachesReplicaSetAndPods) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 1, .pod_spec = kPodSpec}));

  const std::string spec = Field(".spec.template.spec");
  EXPECT_THAT(spec, testing::HasSubstr("topologySpreadConstraints"));
  EXPECT_EQ(Field(".items[0].spec.template.spec", "replicasets"), spec);
  EXPECT_EQ(Field(".items[0].spec.hostAliases[0].hostnames[0]", "pods"), "db.example.com");
  EXPECT_EQ(Field(".items[0].spec.terminationGracePeriodSeconds", "pods"), "7");
  EXPECT_EQ(Field(".items[0].spec.dnsConfig.options[0].value", "pods"), "2");
}

TEST_F(ForeignFields, SurviveARolloutAndAScaling) {
  StartLeader();
  ASSERT_TRUE(Create({.replicas = 2, .pod_spec = kPodSpec}));
  const std::string replica_set = "replicaset/" + observer_.Now().replica_sets[0]->metadata.name;
  const std::string metadata =
      R"({"metadata":{"annotations":{"example.com/note":"kept"},"labels":{"tier":"front"},)"
      R"("finalizers":["example.com/audit"]}})";
  Patch("deployment/web", metadata);
  Patch(replica_set, metadata);
  const std::string conditions =
      R"({"status":{"conditions":[)" + Field(".status.conditions[0]") + "," +
      Field(".status.conditions[1]") +
      R"(,{"type":"example.com/Audited","status":"True","reason":"Seen"}]}})";
  Patch("deployment/web", conditions, "status");

  SetImage("example.com/web:2");
  ASSERT_TRUE(BecomesComplete(2));
  Scale(3);
  ASSERT_TRUE(BecomesComplete(3));

  for (const std::string& object : {std::string("deployment/web"), replica_set}) {
    EXPECT_EQ(Field(".metadata.annotations['example\\.com/note']", object), "kept") << object;
    EXPECT_EQ(Field(".metadata.labels.tier", object), "front") << object;
    EXPECT_EQ(Field(".metadata.finalizers[0]", object), "example.com/audit") << object;
    EXPECT_EQ(Field(".spec.template.spec.hostAliases[0].ip", object), "192.0.2.1") << object;
  }
  EXPECT_EQ(Field(".status.conditions[?(@.type=='example.com/Audited')].reason"), "Seen");
  EXPECT_EQ(Field(".spec.template.spec.containers[0].image", replica_set), "example.com/web:1");

  // They would keep the objects from being deleted after the test.
  Patch("deployment/web", R"({"metadata":{"finalizers":null}})");
  Patch(replica_set, R"({"metadata":{"finalizers":null}})");
}

TEST_F(ForeignFields, AChangeThatSomebodyElseMakesAllTheTimeIsNeverLost) {
  StartLeader();
  kubelet_.Behave({.ready_after = Milliseconds(200)});
  ASSERT_TRUE(Create({.replicas = 4}));

  SetImage("example.com/web:2");
  for (int i = 1; i <= 10; ++i) {
    Kubectl({"annotate", "deployment/web", "--overwrite",
             "example.com/count-" + std::to_string(i) + "=" + std::to_string(i)});
  }
  ASSERT_TRUE(BecomesComplete(4));
  for (int i = 1; i <= 10; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(Field(".metadata.annotations['example\\.com/count-" + number + "']"), number);
  }
}

}  // namespace
}  // namespace capstan::e2e
