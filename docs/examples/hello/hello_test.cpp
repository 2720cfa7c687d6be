#include <gmock/gmock.h>

#include <capstan/testing/fake_cluster.h>

#include "plugin.cpp"  // the plugin is this one file

namespace {

using capstan::testing::EventWithReason;
using capstan::testing::FakeCluster;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ReplicaSet ReplicaSetNamed(std::string_view name, int replicas) {
  ReplicaSet set;
  set.metadata.name = name;
  set.spec.replicas = replicas;
  set.spec.selector.matchLabels = {{"app", "hello"}};
  set.spec.template_ = RawJson::Parse(R"({"metadata":{"labels":{"app":"hello"}},
      "spec":{"containers":[{"name":"main","image":"nginx"}]}})")
                           .value();
  return set;
}

TEST(Hello, SaysHelloOnceToANewReplicaSet) {
  FakeCluster cluster;
  cluster.Load(::Setup);  // a test has a Setup of its own
  cluster.Create(ReplicaSetNamed("web", 3));
  cluster.RunUntilIdle();  // runs whatever can run now; AdvanceBy(10min) moves virtual time
  EXPECT_THAT(cluster.Events(), ElementsAre(EventWithReason("Hello")));
}

TEST(Hello, IgnoresUpdates) {
  FakeCluster cluster;
  cluster.Load(::Setup);
  cluster.Create(ReplicaSetNamed("web", 3));
  cluster.RunUntilIdle();
  cluster.Patch<ReplicaSet>("web", R"({"spec":{"replicas":5}})");
  cluster.AdvanceBy(std::chrono::minutes(10));
  EXPECT_THAT(cluster.Events(), ElementsAre(EventWithReason("Hello")));
}

TEST(Hello, SaysHelloAfterABrokenWatch) {
  FakeCluster cluster;
  cluster.faults().OnWatch({.target = "*/replicasets*"}).Nth(1).TearAfter(0);
  cluster.Load(::Setup);
  cluster.RunUntilIdle();
  EXPECT_THAT(cluster.Events(), IsEmpty());
  cluster.Create(ReplicaSetNamed("web", 3));
  EXPECT_TRUE(cluster.RunUntil([&] { return !cluster.Events().empty(); }));
  EXPECT_THAT(cluster.faults().Log(), SizeIs(1));
}

}  // namespace
