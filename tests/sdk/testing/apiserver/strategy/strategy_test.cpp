// What the strategies change, count, find and allow time for.

#include "apiserver/strategy/strategies.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/schema/definition.h"
#include "apiserver/strategy/pod_defaults.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

json::Value Json(const std::string& text) {
  Result<json::ParsedValue> parsed = json::ParseValue(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().ToString();
  return parsed.ok() ? parsed->value : json::Value();
}

json::Value Deployment() {
  return Json(R"({"metadata":{"name":"web","namespace":"default","labels":{"a":"b"}},
      "spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":
      {"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx"}]}}},
      "status":{"replicas":7}})");
}

json::Value Pod() {
  return Json(R"({"metadata":{"name":"p","namespace":"default"},
      "spec":{"containers":[{"name":"c","image":"nginx"}]}})");
}

json::Value Created(const StrategyPtr& strategy, json::Value object) {
  strategy->PrepareForCreate(object);
  return object;
}

int64_t GenerationOf(const json::Value& object) {
  return object.Get("metadata", "generation").AsInteger();
}

TEST(GenerationStrategy, ANewObjectHasGenerationOneAndNoStatus) {
  const json::Value created = Created(DeploymentStrategy(), Deployment());
  EXPECT_EQ(GenerationOf(created), 1);
  EXPECT_EQ(created.Get("status"), json::Value::Object());
}

TEST(GenerationStrategy, OnlySpecChangesIncrementTheGeneration) {
  const StrategyPtr strategy = DeploymentStrategy();
  const json::Value before = Created(strategy, Deployment());
  json::Value scaled = before;
  scaled.Mutable("spec", "replicas") = 3;
  scaled.Mutable("metadata", "generation") = 100;
  strategy->PrepareForUpdate(scaled, before, "");
  EXPECT_EQ(GenerationOf(scaled), 2);

  json::Value labelled = before;
  labelled.Mutable("metadata", "labels", "x") = "y";
  strategy->PrepareForUpdate(labelled, before, "");
  EXPECT_EQ(GenerationOf(labelled), 1);

  json::Value annotated = before;
  annotated.Mutable("metadata", "annotations", "x") = "y";
  strategy->PrepareForUpdate(annotated, before, "");
  EXPECT_EQ(GenerationOf(annotated), 2);
}

TEST(GenerationStrategy, AnOmittedFieldWithADefaultIsNotAChange) {
  const StrategyPtr strategy = DeploymentStrategy();
  const json::Value before = Created(strategy, Deployment());
  json::Value sent_again = Deployment();
  strategy->PrepareForUpdate(sent_again, before, "");
  EXPECT_EQ(GenerationOf(sent_again), 1);
}

TEST(StatusRules, TheStatusIsWrittenOnlyThroughItsSubresource) {
  const StrategyPtr strategy = DeploymentStrategy();
  const json::Value before = Created(strategy, Deployment());
  json::Value object = before;
  object.Mutable("spec", "replicas") = 9;
  object.Mutable("metadata", "labels", "x") = "y";
  object.Mutable("metadata", "annotations", "x") = "y";
  object.Mutable("status", "replicas") = 5;
  json::Value by_status = object;
  strategy->PrepareForUpdate(by_status, before, "status");
  EXPECT_EQ(by_status.Get("spec"), before.Get("spec"));
  EXPECT_EQ(by_status.Get("metadata", "labels"), before.Get("metadata", "labels"));
  EXPECT_EQ(by_status.Get("metadata", "annotations", "x").AsString(), "y");
  EXPECT_EQ(by_status.Get("status", "replicas").AsInteger(), 5);
  EXPECT_EQ(GenerationOf(by_status), 1);

  strategy->PrepareForUpdate(object, before, "");
  EXPECT_EQ(object.Get("status"), before.Get("status"));
}

TEST(StatusRules, TheCollisionCountCannotDecrease) {
  json::Value before = Created(DeploymentStrategy(), Deployment());
  before.Mutable("status", "collisionCount") = 2;
  json::Value after = before;
  after.Mutable("status", "collisionCount") = 1;
  FieldErrors errors;
  DeploymentStrategy()->ValidateUpdate(after, before, "status", errors);
  ASSERT_EQ(errors.all().size(), 1u);
  EXPECT_EQ(errors.all()[0].field, "status.collisionCount");
  EXPECT_EQ(errors.all()[0].Body(), "Invalid value: 1: cannot be decremented");
}

TEST(PodStrategy, QualityOfServiceFollowsFromRequestsAndLimits) {
  const auto class_of = [](const std::string& resources) {
    return QosClassOf(Json(R"({"containers":[{"resources":)" + resources + "}]}"));
  };
  EXPECT_EQ(class_of("{}"), "BestEffort");
  EXPECT_EQ(class_of(R"({"requests":{"cpu":"1"}})"), "Burstable");
  EXPECT_EQ(class_of(R"({"requests":{"cpu":"1","memory":"1Gi"},
                         "limits":{"cpu":"1000m","memory":"1Gi"}})"),
            "Guaranteed");
  EXPECT_EQ(class_of(R"({"requests":{"cpu":"1","memory":"1Gi"},
                         "limits":{"cpu":"2","memory":"1Gi"}})"),
            "Burstable");
}

TEST(PodStrategy, TheLatestTagIsPulledAlways) {
  const auto policy_of = [](const std::string& image) {
    json::Value spec = json::Value::Object();
    spec.Mutable("containers").Append(json::Value::Object({{"name", "c"}, {"image", image}}));
    DefaultPodSpec(spec);
    return spec.Get("containers").items()[0].Get("imagePullPolicy").AsString();
  };
  EXPECT_EQ(policy_of("nginx"), "Always");
  EXPECT_EQ(policy_of("nginx:latest"), "Always");
  EXPECT_EQ(policy_of("host:5000/nginx"), "Always");
  EXPECT_EQ(policy_of("nginx:1"), "IfNotPresent");
  EXPECT_EQ(policy_of("host:5000/nginx:1"), "IfNotPresent");
  EXPECT_EQ(policy_of("nginx@sha256:abc"), "IfNotPresent");
  EXPECT_EQ(policy_of("No Image"), "IfNotPresent");
}

TEST(PodStrategy, OnlyAFewFieldsOfAPodAreMutable) {
  const json::Value before = Created(PodStrategy(), Pod());
  json::Value after = before;
  after.Mutable("spec", "restartPolicy") = "Never";
  FieldErrors errors;
  PodStrategy()->ValidateUpdate(after, before, "", errors);
  ASSERT_EQ(errors.all().size(), 1u);
  EXPECT_EQ(errors.all()[0].field, "spec");
  EXPECT_THAT(errors.all()[0].Body(),
              HasSubstr("Forbidden: pod updates may not change fields other than "
                        "`spec.containers[*].image`,"));
}

// The errors of an update, after the server has prepared it.
FieldErrors ErrorsOfUpdate(json::Value& after, const json::Value& before) {
  PodStrategy()->PrepareForUpdate(after, before, "");
  PodStrategy()->Default(after);
  FieldErrors errors;
  PodStrategy()->ValidateUpdate(after, before, "", errors);
  return errors;
}

TEST(PodStrategy, OnlyANewPodGetsADefaultPriority) {
  const json::Value created = Created(PodStrategy(), Pod());
  EXPECT_EQ(created.Get("spec", "priority"), json::Value(0));
  EXPECT_EQ(created.Get("spec", "preemptionPolicy").AsString(), "PreemptLowerPriority");

  json::Value before = created;  // as stored by a server without that admission plugin
  before.Mutable("spec").Erase("priority");
  before.Mutable("spec").Erase("preemptionPolicy");
  json::Value labelled = before;
  labelled.Mutable("metadata", "labels") = Json(R"({"app":"web"})");
  EXPECT_TRUE(ErrorsOfUpdate(labelled, before).all().empty());
  EXPECT_EQ(labelled.Get("spec"), before.Get("spec"));

  json::Value raised = before;
  raised.Mutable("spec", "priority") = 7;
  EXPECT_FALSE(ErrorsOfUpdate(raised, before).all().empty());
}

TEST(PodStrategy, AnUpdateWithoutThePriorityKeepsIt) {
  json::Value before = Created(PodStrategy(), Pod());
  before.Mutable("spec", "priority") = 7;
  before.Mutable("spec", "preemptionPolicy") = "Never";
  json::Value after = before;
  after.Mutable("spec").Erase("priority");
  after.Mutable("spec").Erase("preemptionPolicy");
  EXPECT_TRUE(ErrorsOfUpdate(after, before).all().empty());
  EXPECT_EQ(after.Get("spec"), before.Get("spec"));
}

TEST(PodStrategy, ATerminatedContainerCannotRunAgain) {
  json::Value before = Created(PodStrategy(), Pod());
  before.Mutable("spec", "restartPolicy") = "Never";
  json::Value after = before;
  before.Mutable("status", "containerStatuses") =
      Json(R"([{"name":"c","state":{"terminated":{"exitCode":0}}}])");
  after.Mutable("status", "containerStatuses") = Json(R"([{"name":"c","state":{"running":{}}}])");
  FieldErrors errors;
  PodStrategy()->ValidateUpdate(after, before, "status", errors);
  ASSERT_EQ(errors.all().size(), 1u);
  EXPECT_EQ(errors.all()[0].field, "status.containerStatuses[0].state");
  EXPECT_EQ(errors.all()[0].Body(), "Forbidden: may not be transitioned to non-terminated state");
}

TEST(PodStrategy, OnlyAScheduledUnfinishedPodGetsAGracePeriod) {
  const StrategyPtr strategy = PodStrategy();
  json::Value pod = Created(strategy, Pod());
  EXPECT_EQ(strategy->DefaultGracePeriod(pod), 30);
  EXPECT_EQ(strategy->GracePeriod(pod, 30), 0);
  pod.Mutable("spec", "nodeName") = "node-1";
  EXPECT_EQ(strategy->GracePeriod(pod, 30), 30);
  EXPECT_EQ(strategy->GracePeriod(pod, -1), 1);
  pod.Mutable("status", "phase") = "Succeeded";
  EXPECT_EQ(strategy->GracePeriod(pod, 30), 0);
}

TEST(FieldSelectors, AreSupportedPerKind) {
  json::Value pod = Created(PodStrategy(), Pod());
  pod.Mutable("spec", "nodeName") = "node-1";
  EXPECT_EQ(PodStrategy()->SelectableField(pod, "spec.nodeName"), "node-1");
  EXPECT_EQ(PodStrategy()->SelectableField(pod, "spec.hostNetwork"), "false");
  EXPECT_EQ(PodStrategy()->SelectableField(pod, "status.phase"), "Pending");
  EXPECT_EQ(PodStrategy()->SelectableField(pod, "metadata.name"), "p");
  EXPECT_EQ(PodStrategy()->SelectableField(pod, "spec.containers"), std::nullopt);
  EXPECT_EQ(ReplicaSetStrategy()->SelectableField(Json("{}"), "status.replicas"), std::nullopt);
  EXPECT_EQ(DeploymentStrategy()->SelectableField(Json("{}"), "status.replicas"), std::nullopt);
  EXPECT_EQ(SecretStrategy()->SelectableField(Json(R"({"type":"Opaque"})"), "type"), "Opaque");
  EXPECT_EQ(NamespaceStrategy()->SelectableField(Json("{}"), "metadata.namespace"), std::nullopt);
  const json::Value event = Json(R"({"involvedObject":{"name":"p"},"regarding":{"name":"q"}})");
  EXPECT_EQ(CoreEventStrategy()->SelectableField(event, "involvedObject.name"), "p");
  EXPECT_EQ(CoreEventStrategy()->SelectableField(event, "regarding.name"), std::nullopt);
  EXPECT_EQ(EventStrategy()->SelectableField(event, "regarding.name"), "q");
}

TEST(ServiceRules, AnUpdateKeepsTheAllocatedAddress) {
  const StrategyPtr strategy = ServiceStrategy();
  const json::Value before =
      Created(strategy, Json(R"({"metadata":{"name":"s","namespace":"default"},
                              "spec":{"ports":[{"port":80}]}})"));
  const std::string& address = before.Get("spec", "clusterIP").AsString();
  EXPECT_THAT(address, ::testing::StartsWith("10.96."));
  json::Value after = before;
  after.Mutable("spec").Erase("clusterIP");
  after.Mutable("spec").Erase("clusterIPs");
  strategy->PrepareForUpdate(after, before, "");
  EXPECT_EQ(after.Get("spec", "clusterIP").AsString(), address);
  after.Mutable("spec", "clusterIP") = "10.96.9.9";
  after.Mutable("spec", "clusterIPs") = Json(R"(["10.96.9.9"])");
  FieldErrors errors;
  strategy->ValidateUpdate(after, before, "", errors);
  ASSERT_EQ(errors.all().size(), 1u);
  EXPECT_EQ(errors.all()[0].field, "spec.clusterIPs[0]");
  EXPECT_EQ(errors.all()[0].Body(), "Invalid value: [\"10.96.9.9\"]: may not change once set");
}

json::Value Definition(const std::string& versions) {
  return Json(R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",
      "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":)" +
              versions + "}}");
}

std::vector<std::string> VersionsOf(const ResourceCatalog& catalog) {
  std::vector<std::string> versions;
  for (const Resource* resource : catalog.All()) {
    if (resource->name == "widgets") versions.push_back(resource->version);
  }
  return versions;
}

TEST(Definitions, ServeTheirVersionsUntilTheyAreRemoved) {
  ResourceCatalog catalog;
  const std::string schema = R"("schema":{"openAPIV3Schema":{"type":"object",
      "properties":{"spec":{"type":"object"}}}})";
  const std::string first = R"({"name":"v1","served":true,"storage":true,)" + schema + "}";
  const std::string second = R"({"name":"v2","served":true,"storage":false,)" + schema + "}";
  const std::string hidden = R"({"name":"v3","served":false,"storage":false,)" + schema + "}";
  ApplyDefinition(catalog, Definition("[" + first + "," + second + "," + hidden + "]"));
  EXPECT_THAT(VersionsOf(catalog), ElementsAre("v1", "v2"));
  const Resource* widgets = catalog.Find("example.com", "v1", "widgets");
  ASSERT_NE(widgets, nullptr);
  EXPECT_EQ(widgets->kind, "Widget");
  EXPECT_NE(widgets->type, nullptr);

  ApplyDefinition(catalog, Definition("[" + second + "]"));
  EXPECT_THAT(VersionsOf(catalog), ElementsAre("v2"));
  EXPECT_EQ(widgets->version, "v1") << "a request under way may still use it";
  ForgetDefinition(catalog, Definition("[" + second + "]"));
  EXPECT_THAT(VersionsOf(catalog), ElementsAre());
}

TEST(Definitions, CannotReplaceBuiltInResources) {
  ResourceCatalog catalog;
  const json::Value definition = Json(
      R"({"spec":{"group":"apps","scope":"Namespaced","names":{"plural":"deployments","kind":"D"},
      "versions":[{"name":"v1","served":true,"storage":true}]}})");
  ApplyDefinition(catalog, definition);
  EXPECT_EQ(catalog.Find("apps", "v1", "deployments")->kind, "Deployment");
  ForgetDefinition(catalog, definition);
  EXPECT_NE(catalog.Find("apps", "v1", "deployments"), nullptr);
}

TEST(BuiltInResources, AllHaveSchemasAndStrategies) {
  for (const Resource& resource : BuiltInResources()) {
    EXPECT_NE(resource.type, nullptr) << resource.QualifiedName();
    EXPECT_NE(resource.strategy, nullptr) << resource.QualifiedName();
    EXPECT_FALSE(resource.storage.empty()) << resource.QualifiedName();
  }
}

TEST(Strategy, HandlesObjectsOfAnyShape) {
  for (const char* text : {"null", "[]", "{}", "1", R"({"metadata":[],"spec":1,"status":"x"})",
                           R"({"spec":{"containers":[1,null,[]],"template":7,"ports":[[]],
                               "selector":[],"volumes":[null],"strategy":"x","versions":[1],
                               "taints":[2],"names":[],"tolerations":[3]}})"}) {
    for (const Resource& resource : BuiltInResources()) {
      json::Value object = Json(text);
      resource.strategy->PrepareForCreate(object);
      resource.strategy->PrepareForUpdate(object, Json(text), "");
      resource.strategy->PrepareForUpdate(object, Json(text), "status");
      FieldErrors errors;
      resource.strategy->Validate(object, errors);
      resource.strategy->ValidateUpdate(object, Json(text), "", errors);
      resource.strategy->ValidateUpdate(object, Json(text), "status", errors);
      EXPECT_FALSE(resource.strategy->SelectableField(object, "nonsense").has_value());
      (void)resource.strategy->Warnings(object);
    }
  }
}

}  // namespace
}  // namespace capstan::testing::server
