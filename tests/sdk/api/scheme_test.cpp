#include <capstan/api/scheme.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/object.h>

namespace scheme_test {
struct OtherPod {
  capstan::api::ObjectMeta metadata;
};
struct ClusterPod {
  capstan::api::ObjectMeta metadata;
};
struct RenamedPod {
  capstan::api::ObjectMeta metadata;
};
struct Nameless {
  capstan::api::ObjectMeta metadata;
};
}  // namespace scheme_test

CAPSTAN_DECLARE_RESOURCE(scheme_test::OtherPod)
CAPSTAN_DEFINE_RESOURCE(scheme_test::OtherPod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata))
CAPSTAN_DECLARE_RESOURCE(scheme_test::ClusterPod)
CAPSTAN_DEFINE_RESOURCE(scheme_test::ClusterPod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = false),
                        CAPSTAN_FIELD(metadata))
CAPSTAN_DECLARE_RESOURCE(scheme_test::RenamedPod)
CAPSTAN_DEFINE_RESOURCE(scheme_test::RenamedPod,
                        (.group = "", .version = "v1", .resource = "podz", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata))
CAPSTAN_DECLARE_RESOURCE(scheme_test::Nameless)
CAPSTAN_DEFINE_RESOURCE(scheme_test::Nameless,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata))

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Scheme, FindsTypesByKindAndResource) {
  const Scheme scheme;
  EXPECT_EQ(scheme.FindKind("apps", "v1", "Deployment"),
            &DescriptorOf<api::apps::v1::Deployment>());
  EXPECT_EQ(scheme.FindResource("", "v1", "pods"), &DescriptorOf<api::core::v1::Pod>());
  EXPECT_NE(scheme.FindKind("coordination.k8s.io", "v1", "Lease"), nullptr);
  EXPECT_EQ(scheme.FindKind("apps", "v1", "deployments"), nullptr);
  EXPECT_EQ(scheme.FindKind("apps", "v2", "Deployment"), nullptr);
  EXPECT_EQ(scheme.FindResource("", "v1", "deployments"), nullptr);
}

TEST(Scheme, AddsASecondStructForAKindAfterTheFirst) {
  Scheme scheme;
  EXPECT_TRUE(scheme.Add<scheme_test::OtherPod>().ok());
  EXPECT_TRUE(scheme.Add<scheme_test::OtherPod>().ok());
  EXPECT_EQ(scheme.FindKind("", "v1", "Pod"), &DescriptorOf<api::core::v1::Pod>());
  EXPECT_THAT(scheme.TypesOf("", "v1", "Pod"),
              ElementsAre(&DescriptorOf<api::core::v1::Pod>(),
                          &DescriptorOf<api::core::v1::PodFromTemplate>(),
                          &DescriptorOf<scheme_test::OtherPod>()));
}

TEST(Scheme, RefusesAConflictingTypeAndNamesBoth) {
  Scheme scheme;
  const Status scope = scheme.Add<scheme_test::ClusterPod>();
  EXPECT_EQ(scope.reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(scope.message(), HasSubstr("scheme_test::ClusterPod"));
  EXPECT_THAT(scope.message(), HasSubstr("cluster-scoped"));
  EXPECT_THAT(scope.message(), HasSubstr("core::v1::Pod"));
  EXPECT_THAT(scheme.Add<scheme_test::RenamedPod>().message(), HasSubstr("podz"));
  EXPECT_EQ(scheme.TypesOf("", "v1", "Pod").size(), 2u);
}

TEST(Scheme, RefusesInvalidResources) {
  Scheme scheme;
  EXPECT_THAT(scheme.Add(DescriptorOf<api::core::v1::PodSpec>()).message(),
              HasSubstr("PodSpec is not a resource"));
  EXPECT_THAT(scheme.Add<scheme_test::Nameless>().message(), HasSubstr("needs a version"));
}

}  // namespace
}  // namespace capstan
