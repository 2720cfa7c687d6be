// Types that contain only the metadata, on each server.

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>

#include "scenarios/workload.h"
#include "scenarios/world.h"

namespace capstan::e2e {
namespace {

// The status would be decoded if the server sent it.
struct PodOfMetadata {
  api::ObjectMeta metadata;
  api::core::v1::PodStatus status;
};

}  // namespace
}  // namespace capstan::e2e

CAPSTAN_DEFINE_RESOURCE(capstan::e2e::PodOfMetadata,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true, .metadata_only = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(status))

namespace capstan::e2e {
namespace {

using api::core::v1::Pod;

class MetadataOnly : public ::testing::TestWithParam<scenarios::WorldKind> {
 protected:
  void SetUp() override {
    const Status status = client_
                              .Create(DescriptorOf<Pod>(), world_->namespace_name(),
                                      scenarios::PodJson("web", R"({"app":"web"})"))
                              .status();
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(world_->Until(
        [&] {
          const auto pod = client_.Get<Pod>(name_);
          return pod && (*pod)->status.phase == "Running";
        },
        std::chrono::seconds(30)));
  }
  void ExpectMetadata(const Result<std::shared_ptr<const PodOfMetadata>>& pod) const {
    ASSERT_TRUE(pod) << pod.status().ToString();
    EXPECT_EQ((*pod)->metadata.labels.Get("app"), "web");
    EXPECT_EQ((*pod)->status.phase, "");
  }

  const std::unique_ptr<scenarios::World> world_ = scenarios::NewWorld(GetParam());
  const Client client_ = world_->client();
  const NamespacedName name_{world_->namespace_name(), "web"};
};

TEST_P(MetadataOnly, IsServedInResponsesToReadsAndWrites) {
  ExpectMetadata(client_.Get<PodOfMetadata>(name_));
  const auto all = client_.ListAll<PodOfMetadata>(world_->namespace_name());
  ASSERT_TRUE(all) << all.status().ToString();
  ASSERT_EQ(all->size(), 1U);
  ExpectMetadata(all->front());
  const auto patched = client_.Patch<PodOfMetadata>(name_, PatchType::kMerge,
                                                    R"({"metadata":{"labels":{"tier":"front"}}})");
  ExpectMetadata(patched);
  EXPECT_EQ((*patched)->metadata.labels.Get("tier"), "front");
  const Status deleted = client_.Delete<PodOfMetadata>(name_, {.grace_period_seconds = 0});
  EXPECT_TRUE(deleted.ok()) << deleted.ToString();
  EXPECT_TRUE(client_.Get<PodOfMetadata>(name_).status().IsNotFound());
}

TEST_P(MetadataOnly, IsServedInWatches) {
  auto stream = client_.Watch(DescriptorOf<PodOfMetadata>(), world_->namespace_name(),
                              {.timeout = std::chrono::seconds(30)});
  ASSERT_TRUE(stream) << stream.status().ToString();
  const auto event = (*stream)->Next();
  ASSERT_TRUE(event && *event) << event.status().ToString();
  EXPECT_EQ((*event)->type, WatchEvent::Type::kAdded);
  ExpectMetadata(std::static_pointer_cast<const PodOfMetadata>((*event)->object));
}

INSTANTIATE_TEST_SUITE_P(World, MetadataOnly, ::testing::ValuesIn(scenarios::Worlds()),
                         [](const auto& test) { return scenarios::NameOf(test.param); });

}  // namespace
}  // namespace capstan::e2e
