// The fields of objects that a plugin receives: PluginContext::Reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <capstan/api/core_v1.h>
#include <capstan/controller.h>
#include <capstan/testing/fake_cluster.h>

namespace capstan {
namespace {

using api::core::v1::Pod;
using ::testing::ElementsAre;
using testing::FakeCluster;
using ::testing::HasSubstr;

std::vector<std::string> seen;

// Records the node and the phase of each pod.
class Reader : public Reconciler {
 public:
  explicit Reader(PluginContext& context) : pods_(context.ListerFor<Pod>()) {}
  Result<Action> Reconcile(const Request& request) override {
    const auto pod = pods_.Get(request.name);
    if (pod) {
      seen.push_back(pod->spec.nodeName.str() + "/" + pod->status.phase.str() + "/" +
                     std::to_string(pod->spec.extras->priority.value_or(0)));
    }
    return Action::AwaitChange();
  }

 private:
  Lister<Pod> pods_;
};

Status ReadNode(PluginContext& context) {
  const auto lister = context.ListerFor<Pod>();  // the order does not matter
  context.Reads<Pod>({"spec.nodeName"});
  return context.NewController("node").For<Pod>().Run<Reader>();
}

Status ReadPriority(PluginContext& context) {
  context.Reads<Pod>({"spec.priority"});
  return context.NewController("priority").For<Pod>().Run<Reader>();
}

Status ReadAll(PluginContext& context) {
  return context.NewController("all").For<Pod>().Run<Reader>();
}

Status Misread(PluginContext& context) {
  context.Reads<Pod>({"spec.nodeName", "spec.priorities"});
  return context.NewController("misread").For<Pod>().Run<Reader>();
}

class Reads : public ::testing::Test {
 protected:
  Reads() : cluster_({.with_kubelet = false}) {
    seen.clear();
    cluster_.CreateJson(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":
        {"nodeName":"n","priority":7,"containers":[{"name":"c","image":"i"}]}})");
  }
  FakeCluster cluster_;
};

TEST_F(Reads, ShowsAPluginOnlyItsDeclaredFields) {
  cluster_.Load(ReadNode);
  cluster_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre("n//0"));
}

TEST_F(Reads, ShowsAPluginWithoutADeclarationAllFields) {
  cluster_.Load(ReadAll);
  cluster_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre("n/Pending/7"));
}

TEST_F(Reads, ShowsAPluginLoadedLaterItsDeclaredFields) {
  cluster_.Load(ReadNode, "one");
  cluster_.RunUntilIdle();
  cluster_.Load(ReadPriority, "two");
  cluster_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre("n//0", "n//7"));
  cluster_.Load(ReadAll, "three");
  cluster_.RunUntilIdle();
  EXPECT_THAT(seen, ElementsAre("n//0", "n//7", "n/Pending/7"));
}

TEST_F(Reads, AnUnknownFieldIsAnErrorThatNamesPluginKindAndPath) {
  try {
    cluster_.Load(Misread, "web");
    ADD_FAILURE() << "it was loaded";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("plugin web: controller \"misread\": Reads<Pod>: "
                                        "\"spec.priorities\": unknown field \"priorities\""));
  }
}

TEST_F(Reads, APatchOfAnUndeclaredFieldIsRefused) {
  static Status patched;
  cluster_.Load([](PluginContext& context) -> Status {
    context.Reads<Pod>({"spec.priority"});
    class Labeler : public Reconciler {
     public:
      explicit Labeler(PluginContext& plugin)
          : client_(plugin.client()), pods_(plugin.ListerFor<Pod>()) {}
      Result<Action> Reconcile(const Request& request) override {
        const auto pod = pods_.Get(request.name);
        if (!pod || pod->metadata.labels.Contains("seen")) return Action::AwaitChange();
        Pod changed = *pod;
        changed.metadata.annotations.Set("a", "b");
        patched = client_.PatchDifference(*pod, changed).status();
        changed.metadata.annotations = {};
        changed.metadata.labels.Set("seen", "yes");
        if (Status status = client_.PatchDifference(*pod, changed).status(); !status.ok()) {
          return status;
        }
        return Action::AwaitChange();
      }

     private:
      const Client client_;
      Lister<Pod> pods_;
    };
    return context.NewController("labeler").For<Pod>().Run<Labeler>();
  });
  cluster_.RunUntilIdle();
  EXPECT_THAT(patched.message(), HasSubstr("Pod default/p: metadata.annotations was changed"));
  const auto pod = cluster_.Get<Pod>("p");
  EXPECT_EQ(pod->metadata.labels.Get("seen"), "yes");
  EXPECT_EQ(pod->spec.nodeName, "n") << "what the plugin does not read is left alone";
}

}  // namespace
}  // namespace capstan
