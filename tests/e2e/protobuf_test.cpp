// Both encodings of each server, of all typed kinds, decode to the same objects.

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <capstan/api/kinds.h>
#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>

#include "api_server.h"
#include "support/protobuf_fields.h"

namespace capstan::e2e {
namespace {

using api::core::v1::Namespace;
using api::core::v1::Pod;

// `owner` is the UID of the ReplicaSet "web".
std::string PodOwnedBy(const std::string& owner) {
  return R"({"apiVersion":"v1","kind":"Pod",
  "metadata":{"name":"web","labels":{"app":"web","tier":"web"},
    "annotations":{"note":"a \"quote\"\n\u00e9t\u00e9"},"finalizers":["example.dev/keep"],
    "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web",
      "uid":")" +
         owner + R"(","controller":true,
      "blockOwnerDeletion":false}]},
  "spec":{"nodeSelector":{"disk":"ssd"},"hostname":"h","subdomain":"s",
    "activeDeadlineSeconds":600,"terminationGracePeriodSeconds":0,
    "tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":0}],
    "schedulingGates":[{"name":"example.dev/gate"}],
    "initContainers":[{"name":"proxy","image":"i","restartPolicy":"Always"}],
    "containers":[{"name":"main","image":"nginx","ports":[{"name":"http","containerPort":80}],
      "resources":{"requests":{"cpu":"0.5","memory":"1024Mi"},"limits":{"cpu":"2"}}}],
    "volumes":[{"name":"claim","persistentVolumeClaim":{"claimName":"data","readOnly":true}},
      {"name":"scratch","ephemeral":{"volumeClaimTemplate":{"spec":{
        "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}]}})";
}

constexpr std::string_view kPodStatusJson =
    R"({"status":{"phase":"Running","message":"m","reason":"r",
  "podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],"hostIP":"10.0.0.2","hostIPs":[{"ip":"10.0.0.2"}],
  "startTime":"2026-01-02T03:04:05Z","nominatedNodeName":"n",
  "conditions":[{"type":"Ready","status":"True","lastTransitionTime":"1970-01-01T00:00:00Z",
      "reason":"x","message":"y"},{"type":"Initialized","status":"False"}],
  "containerStatuses":[{"name":"main","image":"nginx","imageID":"","ready":true,"restartCount":3,
    "started":false,"state":{"running":{"startedAt":"2026-01-02T03:04:06Z"}},
    "lastState":{"terminated":{"exitCode":137,"signal":9,"reason":"OOMKilled",
      "startedAt":"2026-01-02T03:04:05Z","finishedAt":null}}}]}})";

constexpr std::string_view kTemplate = R"("template":{"metadata":{"labels":{"app":"web"}},
    "spec":{"containers":[{"name":"main","image":"nginx"}]}})";
constexpr std::string_view kSelector = R"("selector":{"matchLabels":{"app":"web"},
    "matchExpressions":[{"key":"tier","operator":"NotIn","values":["x","y"]}]})";

constexpr std::string_view kLeaseJson = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
  "metadata":{"name":"web"},"spec":{"holderIdentity":"","leaseDurationSeconds":15,
    "acquireTime":"2026-01-02T03:04:05.000000Z","renewTime":"2026-01-02T03:04:06.123456Z",
    "leaseTransitions":0}})";

constexpr std::string_view kNodeJson =
    R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"protobuf-node"}})";

std::string EventIn(const std::string& space) {
  return R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"web.1"},"involvedObject":{
      "kind":"Pod","name":"web","namespace":")" +
         space + R"("},"reason":"Started","message":"m","source":{"component":"kubelet"},
      "firstTimestamp":"2026-01-02T03:04:05Z","lastTimestamp":null,"count":2,"type":"Normal"})";
}

Client ClientOf(const ApiServer& server, bool protobuf) {
  KubeconfigOptions options;
  options.paths = {server.kubeconfig().string()};
  const Result<RestConfig> config = LoadKubeconfig(options);
  EXPECT_TRUE(config) << config.status().ToString();
  Result<std::unique_ptr<Transport>> transport = NewHttpTransport(*config, SystemRuntime());
  EXPECT_TRUE(transport) << transport.status().ToString();
  return Client(*std::move(transport), SystemRuntime(), {.qps = 0, .protobuf = protobuf});
}

class ProtobufOnServer : public ::testing::TestWithParam<ServerKind> {
 protected:
  void SetUp() override {
    Namespace object;
    object.metadata.name = space_;
    const Status created = json_.Create(object).status();
    ASSERT_TRUE(created.ok()) << created.ToString();
    Create<api::apps::v1::ReplicaSet>(
        R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{)" +
        std::string(kSelector) + "," + std::string(kTemplate) + "}}");
    const auto set = json_.Get<api::apps::v1::ReplicaSet>({space_, "web"});
    ASSERT_TRUE(set) << set.status().ToString();
    Create<Pod>(PodOwnedBy((*set)->metadata.uid.str()));
    const Status patched =
        json_.Patch<Pod>({space_, "web"}, PatchType::kMerge, kPodStatusJson, "status").status();
    ASSERT_TRUE(patched.ok()) << patched.ToString();
    Create<api::apps::v1::Deployment>(
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{
            "strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}},"paused":true,)" +
        std::string(kSelector) + "," + std::string(kTemplate) + "}}");
    Create<api::coordination::v1::Lease>(kLeaseJson);
    Create<api::core::v1::Event>(EventIn(space_));
    const Status node = json_.Create(DescriptorOf<api::core::v1::Node>(), "", kNodeJson).status();
    ASSERT_TRUE(node.ok() || node.IsAlreadyExists()) << node.ToString();
  }
  void TearDown() override {
    (void)json_.Patch<Pod>({space_, "web"}, PatchType::kMerge,
                           R"({"metadata":{"finalizers":null}})");
    (void)json_.Delete<Namespace>({"", space_});
    (void)json_.Delete<api::core::v1::Node>({"", "protobuf-node"});
  }

  template <class T>
  void Create(std::string_view json) {
    const Status status = json_.Create(DescriptorOf<T>(), space_, json).status();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // The objects by name and version, as JSON.
  using Objects = std::map<std::string, std::string>;
  void Add(const TypeDescriptor& type, const ObjectPtr& object, Objects& to) const {
    const api::ObjectMeta& metadata = MetadataOf(type, object.get());
    to[metadata.name + " " + metadata.resourceVersion] = EncodeJson(type, object.get());
  }
  Objects List(const Client& client, const TypeDescriptor& type, const FieldSet& fields) const {
    Objects objects;
    const auto list =
        client.List(type, type.resource->namespaced ? space_ : "", {.fields = fields});
    EXPECT_TRUE(list) << list.status().ToString();
    if (!list) return objects;
    EXPECT_TRUE(list->malformed.empty());
    for (const ObjectPtr& object : list->items) Add(type, object, objects);
    return objects;
  }
  // The first `count` objects of a watch.
  Objects Watch(const Client& client, const TypeDescriptor& type, const FieldSet& fields,
                size_t count) const {
    Objects objects;
    auto stream = client.Watch(type, type.resource->namespaced ? space_ : "",
                               {.timeout = std::chrono::seconds(30), .fields = fields});
    EXPECT_TRUE(stream) << stream.status().ToString();
    while (stream && objects.size() < count) {
      const auto event = (*stream)->Next();
      EXPECT_TRUE(event.ok()) << event.status().ToString();
      if (!event.ok() || !*event) break;
      if ((*event)->object) Add(type, (*event)->object, objects);
    }
    return objects;
  }

  ApiServer& server_ = ApiServer::Shared(GetParam());
  const Client json_ = ClientOf(server_, false);
  const Client protobuf_ = ClientOf(server_, true);
  const std::string space_ = "protobuf";
};

TEST_P(ProtobufOnServer, DecodesToTheSameObjectsAsJson) {
  for (const TypeDescriptor* type : TypedKinds()) {
    SCOPED_TRACE(type->name);
    const FieldSet fields = testing::ProtobufFieldsOf(*type);
    const Objects expected = List(json_, *type, fields);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(List(protobuf_, *type, fields), expected);
    EXPECT_EQ(Watch(protobuf_, *type, fields, expected.size()), expected);
    EXPECT_EQ(Watch(json_, *type, fields, expected.size()), expected);
  }
}

TEST_P(ProtobufOnServer, TellsErrorsAsJsonDoes) {
  const NamespacedName missing{space_, "missing"};
  using api::coordination::v1::Lease;
  for (const Client* client : {&json_, &protobuf_}) {
    const Status status = client->Get<Lease>(missing).status();
    EXPECT_TRUE(status.IsNotFound());
    EXPECT_EQ(status.message(), "leases.coordination.k8s.io \"missing\" not found");
    ASSERT_TRUE(status.details());
    EXPECT_EQ(status.details()->name, "missing");
    const Status invalid = client
                               ->Patch<Lease>({space_, "web"}, PatchType::kMerge,
                                              R"({"spec":{"leaseDurationSeconds":-1}})")
                               .status();
    EXPECT_TRUE(invalid.IsInvalid()) << invalid.ToString();
    EXPECT_FALSE(invalid.causes().empty());
    EXPECT_TRUE(client->Delete<Lease>(missing).IsNotFound());
  }
}

INSTANTIATE_TEST_SUITE_P(Servers, ProtobufOnServer, ::testing::ValuesIn(ServerKinds()),
                         [](const auto& test) { return NameOf(test.param); });

}  // namespace
}  // namespace capstan::e2e
