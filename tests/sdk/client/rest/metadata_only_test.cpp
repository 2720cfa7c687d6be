#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/scripted_transport.h"

#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

struct WidgetMetadata {
  api::ObjectMeta metadata;
};

}  // namespace
}  // namespace capstan

CAPSTAN_DEFINE_RESOURCE(capstan::WidgetMetadata,
                        (.group = "example.dev", .version = "v1", .resource = "widgets",
                         .kind = "Widget", .namespaced = true, .metadata_only = true),
                        CAPSTAN_FIELD(metadata))

namespace capstan {
namespace {

using capstan::testing::HeaderOf;
using capstan::testing::JsonAnswer;
using ::testing::HasSubstr;

constexpr const char* kWidgets = "/apis/example.dev/v1/namespaces/ns/widgets";
constexpr const char* kWidget = "/apis/example.dev/v1/namespaces/ns/widgets/a";
constexpr const char* kPartialWidget =
    R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
    R"("metadata":{"name":"a","namespace":"ns","resourceVersion":"5","labels":{"app":"web"}}})";
constexpr const char* kAsObject =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr const char* kAsList =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

class MetadataOnly : public ::testing::Test {
 protected:
  std::string Accepted() const { return HeaderOf(transport_->Requests().back(), "Accept"); }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  Client client_{transport_, runtime_, {.qps = 0}};
};

TEST_F(MetadataOnly, IsRequestedForGet) {
  transport_->On("GET", kWidget, JsonAnswer(200, kPartialWidget));
  const auto widget = client_.Get<WidgetMetadata>({"ns", "a"});
  ASSERT_TRUE(widget) << widget.status().ToString();
  EXPECT_EQ((*widget)->metadata.labels.Get("app"), "web");
  EXPECT_EQ(Accepted(), kAsObject);
}

TEST_F(MetadataOnly, IsRequestedForList) {
  transport_->On("GET", std::string(kWidgets) + "?limit=500",
                 JsonAnswer(200, std::string(R"({"kind":"PartialObjectMetadataList",)"
                                             R"("apiVersion":"meta.k8s.io/v1",)"
                                             R"("metadata":{"resourceVersion":"9"},"items":[)") +
                                     kPartialWidget + "]}"));
  const auto widgets = client_.ListAll<WidgetMetadata>("ns");
  ASSERT_TRUE(widgets) << widgets.status().ToString();
  ASSERT_EQ(widgets->size(), 1U);
  EXPECT_EQ(widgets->front()->metadata.name, "a");
  EXPECT_EQ(Accepted(), kAsList);
}

TEST_F(MetadataOnly, IsRequestedForWatch) {
  auto watch = transport_->OnWatch(std::string(kWidgets) + "?watch=true*");
  auto stream = client_.Watch(DescriptorOf<WidgetMetadata>(), "ns", {});
  ASSERT_TRUE(stream) << stream.status().ToString();
  EXPECT_EQ(Accepted(), kAsObject);
  watch->SendEvent("ADDED", kPartialWidget);
  watch->SendEvent("BOOKMARK",
                   R"({"kind":"PartialObjectMetadata","metadata":{"resourceVersion":"12"}})");
  const auto added = (*stream)->Next();
  ASSERT_TRUE(added && *added);
  EXPECT_EQ(MetadataOf(DescriptorOf<WidgetMetadata>(), (*added)->object.get()).name, "a");
  const auto bookmark = (*stream)->Next();
  ASSERT_TRUE(bookmark && *bookmark);
  EXPECT_EQ((*bookmark)->resource_version, "12");
}

TEST_F(MetadataOnly, IsReturnedByWrites) {
  transport_->On("PATCH", kWidget, JsonAnswer(200, kPartialWidget));
  transport_->On("DELETE", kWidget, JsonAnswer(200, kPartialWidget));
  WidgetMetadata from;
  from.metadata.name = "a";
  from.metadata.namespace_ = "ns";
  from.metadata.resourceVersion = "4";
  WidgetMetadata to = from;
  to.metadata.labels.Set("app", "web");
  const auto patched = client_.PatchDifference(from, to);
  ASSERT_TRUE(patched) << patched.status().ToString();
  EXPECT_EQ((*patched)->metadata.resourceVersion, "5");
  EXPECT_EQ(Accepted(), kAsObject);
  EXPECT_THAT(transport_->Requests().back().body, HasSubstr(R"("labels":{"app":"web"})"));
  EXPECT_TRUE(client_.Delete<WidgetMetadata>({"ns", "a"}).ok());
  EXPECT_EQ(Accepted(), kAsObject);
}

TEST_F(MetadataOnly, IsExtractedFromWholeObjectsOfOtherServers) {
  transport_->On("GET", kWidget, JsonAnswer(200, R"({"kind":"Widget","apiVersion":"example.dev/v1",
      "metadata":{"name":"a"},"spec":{"size":3}})"));
  const auto widget = client_.Get<WidgetMetadata>({"ns", "a"});
  ASSERT_TRUE(widget) << widget.status().ToString();
  EXPECT_EQ((*widget)->metadata.name, "a");
}

TEST_F(MetadataOnly, RefusesOtherKinds) {
  constexpr const char* kNameless =
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}})";
  transport_->On("GET", kWidget, JsonAnswer(200, R"({"kind":"Gadget","metadata":{}})"));
  transport_->On("GET", kWidget, JsonAnswer(200, kNameless));
  transport_->On("GET", "/api/v1/namespaces/ns/pods/a", JsonAnswer(200, kNameless));
  const Status gadget = client_.Get<WidgetMetadata>({"ns", "a"}).status();
  EXPECT_THAT(gadget.message(), HasSubstr("an object of kind \"Gadget\" instead of a Widget"));
  EXPECT_TRUE(client_.Get<WidgetMetadata>({"ns", "a"}));
  EXPECT_EQ(client_.Get<api::core::v1::Pod>({"ns", "a"}).status().reason(),
            StatusReason::kMalformed);
}

}  // namespace
}  // namespace capstan
