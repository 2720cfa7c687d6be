#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/testing/fake_cluster.h>

namespace capstan::testing {
namespace {

// The phase would be decoded if the server sent it.
struct BarePod {
  api::ObjectMeta metadata;
  api::core::v1::PodStatus status;
};

}  // namespace
}  // namespace capstan::testing

CAPSTAN_DEFINE_RESOURCE(capstan::testing::BarePod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true, .metadata_only = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(status))

namespace capstan::testing {
namespace {

using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using namespace std::chrono_literals;

constexpr const char* kWebPod = R"({"apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"web-1","labels":{"app":"web"}},
    "spec":{"containers":[{"name":"main","image":"nginx"}]}})";

// The number of pods of each ReplicaSet at its last reconcile.
std::map<std::string, size_t>& Counts() {
  static std::map<std::string, size_t> counts;
  return counts;
}

class BarePodCounter : public Reconciler {
 public:
  explicit BarePodCounter(PluginContext& context)
      : replica_sets_(context.ListerFor<ReplicaSet>()), pods_(context.ListerFor<BarePod>()) {}
  Result<Action> Reconcile(const Request& request) override {
    const auto replica_set = replica_sets_.Get(request.name);
    if (!replica_set) return Action::AwaitChange();
    Counts()[request.name.name] = pods_.OwnedBy(replica_set->metadata.uid).size();
    return Action::AwaitChange();
  }

 private:
  Lister<ReplicaSet> replica_sets_;
  Lister<BarePod> pods_;
};

class MetadataOnlyCluster : public ::testing::Test {
 protected:
  MetadataOnlyCluster() { Counts().clear(); }
  FakeCluster cluster_;
};

TEST_F(MetadataOnlyCluster, ServesOnlyTheMetadata) {
  cluster_.CreateJson(kWebPod);
  cluster_.RunUntilIdle();
  ASSERT_TRUE(
      cluster_.RunUntil([&] { return cluster_.Get<Pod>("web-1")->status.phase == "Running"; }));
  const auto one = cluster_.Get<BarePod>("web-1");
  EXPECT_EQ(one->metadata.labels.Get("app"), "web");
  EXPECT_EQ(one->status.phase, "");
  const auto all = cluster_.List<BarePod>();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front()->metadata.uid, one->metadata.uid);
  EXPECT_EQ(all.front()->status.phase, "");
  const auto patched =
      cluster_.Patch<BarePod>("web-1", R"({"metadata":{"labels":{"tier":"front"}}})");
  EXPECT_EQ(patched->metadata.labels.Get("tier"), "front");
  EXPECT_EQ(patched->status.phase, "");
  cluster_.Delete<BarePod>("web-1", {.grace_period_seconds = 0});
  EXPECT_TRUE(cluster_.List<Pod>().empty());
}

TEST_F(MetadataOnlyCluster, SupportsControllersListersAndOwners) {
  cluster_.Load([](PluginContext& context) {
    return context.NewController("counter").For<ReplicaSet>().Owns<BarePod>().Run<BarePodCounter>();
  });
  cluster_.CreateJson(R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},
      "spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},"template":{
      "metadata":{"labels":{"app":"web"}},
      "spec":{"containers":[{"name":"main","image":"nginx"}]}}}})");
  cluster_.RunUntilIdle();
  EXPECT_EQ(Counts().at("web"), 0U);
  cluster_.CreateJson(kWebPod);
  const std::string owner = cluster_.Get<ReplicaSet>("web")->metadata.uid.str();
  cluster_.Patch<Pod>("web-1", R"({"metadata":{"ownerReferences":[{"apiVersion":"apps/v1",
      "kind":"ReplicaSet","name":"web","controller":true,"uid":")" +
                                   owner + R"("}]}})");
  cluster_.RunUntilIdle();
  EXPECT_EQ(Counts().at("web"), 1U) << "by the watch";
  cluster_.Delete<Pod>("web-1", {.grace_period_seconds = 0});
  cluster_.RunUntilIdle();
  EXPECT_EQ(Counts().at("web"), 0U);
}

// Bookmarks keep an idle watch from becoming stale.
TEST_F(MetadataOnlyCluster, SendsBookmarks) {
  auto stream = cluster_.client().Watch(DescriptorOf<BarePod>(), "", {.timeout = 10min});
  ASSERT_TRUE(stream) << stream.status().ToString();
  const auto event = (*stream)->Next();
  ASSERT_TRUE(event && *event) << event.status().ToString();
  EXPECT_EQ((*event)->type, WatchEvent::Type::kBookmark);
  EXPECT_EQ((*event)->resource_version, std::to_string(cluster_.server().ResourceVersion()));
}

}  // namespace
}  // namespace capstan::testing
