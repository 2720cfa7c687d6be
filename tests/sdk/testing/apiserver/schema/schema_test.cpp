#include "apiserver/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apiserver/codec/decoding.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Field& FieldOf(std::string_view type, std::string_view name) {
  const ObjectType* object = SchemaSet::BuiltIn().Find(type);
  EXPECT_TRUE(object) << type;
  const Field* field = object ? object->Find(name) : nullptr;
  EXPECT_TRUE(field) << type << "." << name;
  static const Field kNone;
  return field ? *field : kNone;
}

TEST(Schema, FindsServedKindsByApiVersion) {
  for (const char* name :
       {"v1.Namespace", "v1.Node", "v1.Pod", "v1.Event", "v1.ConfigMap", "v1.Secret",
        "v1.ServiceAccount", "v1.Service", "v1.Binding", "v1.Status", "v1.DeleteOptions",
        "apps/v1.Deployment", "apps/v1.ReplicaSet", "coordination.k8s.io/v1.Lease",
        "events.k8s.io/v1.Event", "apiextensions.k8s.io/v1.CustomResourceDefinition",
        "autoscaling/v1.Scale", "policy/v1.Eviction"}) {
    EXPECT_TRUE(SchemaSet::BuiltIn().Find(name)) << name;
  }
}

void ExpectDescribed(const ObjectType& type) {
  EXPECT_FALSE(type.description.empty()) << type.name;
  for (const Field& field : type.fields) {
    EXPECT_FALSE(field.description.empty()) << type.name << "." << field.name;
  }
}

TEST(Schema, DescribesTheServedKindsAndTheirSpecAndStatus) {
  for (const char* name :
       {"v1.Namespace", "v1.Node", "v1.Pod", "v1.Event", "v1.ConfigMap", "v1.Secret",
        "v1.ServiceAccount", "v1.Service", "apps/v1.Deployment", "apps/v1.ReplicaSet",
        "coordination.k8s.io/v1.Lease", "events.k8s.io/v1.Event", "autoscaling/v1.Scale",
        "apiextensions.k8s.io/v1.CustomResourceDefinition"}) {
    const ObjectType* kind = SchemaSet::BuiltIn().Find(name);
    ASSERT_TRUE(kind) << name;
    ExpectDescribed(*kind);
    for (const char* part : {"metadata", "spec", "status"}) {
      if (const Field* field = kind->Find(part)) ExpectDescribed(*field->type.object);
    }
  }
}

TEST(Schema, DescribesThePartsOfPods) {
  for (const char* name : {"PodTemplateSpec", "Container", "ContainerPort", "EnvVar", "Probe",
                           "ResourceRequirements", "VolumeMount", "SecurityContext",
                           "DeploymentStrategy", "RollingUpdateDeployment", "LabelSelector"}) {
    const ObjectType* type = SchemaSet::BuiltIn().Find(name);
    ASSERT_TRUE(type) << name;
    ExpectDescribed(*type);
  }
}

TEST(Schema, DistinguishesKindsWithTheSameName) {
  EXPECT_TRUE(SchemaSet::BuiltIn().Find("v1.Event")->Find("involvedObject"));
  EXPECT_TRUE(SchemaSet::BuiltIn().Find("events.k8s.io/v1.Event")->Find("regarding"));
  EXPECT_EQ(SchemaSet::BuiltIn().Find("events.k8s.io/v1.Event")->name, "Event");
}

TEST(Schema, HasTheMergeRulesOfLists) {
  const Field& containers = FieldOf("PodSpec", "containers");
  EXPECT_TRUE(containers.patch_merge);
  EXPECT_EQ(containers.patch_merge_key, "name");
  EXPECT_EQ(containers.list, Field::Topology::kMap);
  const Field& ports = FieldOf("Container", "ports");
  EXPECT_EQ(ports.patch_merge_key, "containerPort");
  EXPECT_THAT(ports.list_map_keys, ElementsAre("containerPort", "protocol"));
  EXPECT_EQ(FieldOf("ObjectMeta", "finalizers").list, Field::Topology::kSet);
  EXPECT_TRUE(FieldOf("PodSpec", "volumes").patch_retain_keys);
  EXPECT_TRUE(FieldOf("PodSpec", "nodeSelector").atomic);
  EXPECT_TRUE(SchemaSet::BuiltIn().Find("LabelSelector")->atomic);
}

TEST(Schema, MarksZeroValuesThatTheApiWrites) {
  EXPECT_EQ(FieldOf("DeploymentSpec", "replicas").presence, Presence::kIfSet);
  EXPECT_EQ(FieldOf("DeploymentSpec", "paused").presence, Presence::kIfNotZero);
  EXPECT_EQ(FieldOf("apps/v1.Deployment", "status").presence, Presence::kOrZero);
  EXPECT_EQ(FieldOf("PodCondition", "lastProbeTime").presence, Presence::kOrNull);
}

json::Value WidgetSchema() {
  return Json(R"({"type":"object","properties":{
    "spec":{"type":"object","required":["size"],"properties":{
      "size":{"type":"integer","format":"int32","minimum":1,"default":3},
      "port":{"x-kubernetes-int-or-string":true},
      "color":{"type":"string","enum":["red","green"],"nullable":true},
      "parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
        "items":{"type":"object","properties":{"name":{"type":"string"},
                                               "weight":{"type":"number","default":1.5}}}},
      "labels":{"type":"object","additionalProperties":{"type":"string"}},
      "free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
      "template":{"type":"object","x-kubernetes-embedded-resource":true,
                  "x-kubernetes-preserve-unknown-fields":true}}}}})");
}

TEST(CustomResourceSchema, ReadsTheStructuralSchema) {
  const auto set = SchemaSet::OfCustomResource("Widget", WidgetSchema());
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  const ObjectType* widget = (*set)->Find("Widget");
  ASSERT_TRUE(widget);
  EXPECT_EQ(widget->Find("metadata")->type.object, SchemaSet::BuiltIn().Find("ObjectMeta"));
  const ObjectType* spec = (*set)->Find("Widget.spec");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->Find("size")->required);
  EXPECT_EQ(spec->Find("size")->minimum, 1);
  EXPECT_THAT(spec->Find("color")->enumeration, ElementsAre("red", "green"));
  EXPECT_EQ(spec->Find("port")->type.kind, TypeKind::kIntOrString);
  EXPECT_EQ(spec->Find("parts")->list, Field::Topology::kMap);
  EXPECT_EQ(spec->Find("labels")->type.kind, TypeKind::kMap);
  EXPECT_TRUE(spec->Find("template")->type.object->Find("metadata"));
}

TEST(CustomResourceSchema, PrunesAndDefaults) {
  const auto set = SchemaSet::OfCustomResource("Widget", WidgetSchema());
  ASSERT_TRUE(set.ok());
  const ObjectType& widget = *(*set)->Find("Widget");
  Result<Decoded> decoded =
      Conform(Json(R"({"metadata":{"name":"a"},"spec":{"unknown":1,"free":{"x":1},"size":null,
                       "color":null,"parts":[{"name":"p","other":2}]}})"),
              widget, FieldValidation::kWarn);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_THAT(decoded->warnings, ElementsAre("unknown field \"spec.parts[0].other\"",
                                             "unknown field \"spec.unknown\""));
  ApplySchemaDefaults(decoded->object, widget);
  EXPECT_EQ(json::ToJson(decoded->object.Get("spec")),
            R"({"color":null,"free":{"x":1},"parts":[{"name":"p","weight":1.5}],"size":3})");
}

TEST(CustomResourceSchema, KeepsWrongTypesForValidation) {
  const auto set = SchemaSet::OfCustomResource("Widget", WidgetSchema());
  ASSERT_TRUE(set.ok());
  const json::Value object = Json(R"({"spec":{"size":"big","parts":{"a":1}}})");
  const Result<Decoded> decoded =
      Conform(object, *(*set)->Find("Widget"), FieldValidation::kStrict);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->object, object);
}

TEST(CustomResourceSchema, ReportsTheInvalidPart) {
  const auto error_of = [](std::string_view schema) {
    return SchemaSet::OfCustomResource("W", Json(schema)).status().message();
  };
  EXPECT_THAT(error_of(R"({"type":"object","properties":{"a":{"type":"color"}}})"),
              HasSubstr(".a.type: unsupported type \"color\""));
  EXPECT_THAT(error_of(R"({"type":"object","properties":{"a":{"type":"array"}}})"),
              HasSubstr(".a.items: must be specified"));
  EXPECT_THAT(error_of(R"({"type":"object","properties":{"a":5}})"), HasSubstr(".a: must be an"));
}

TEST(CustomResourceSchema, DistinguishesPropertiesWhoseNamesLookLikePaths) {
  const auto set = SchemaSet::OfCustomResource("W", Json(R"({"type":"object","properties":{
             "a":{"type":"object","properties":{"b":{"type":"object","properties":{
                   "x":{"type":"string"}}}}},
             "a.b":{"type":"object","properties":{"y":{"type":"string"}}}}})"));
  ASSERT_TRUE(set.ok());
  const ObjectType& root = *(*set)->Find("W");
  EXPECT_TRUE(root.Find("a")->type.object->Find("b")->type.object->Find("x"));
  EXPECT_TRUE(root.Find("a.b")->type.object->Find("y"));
}

}  // namespace
}  // namespace capstan::testing::server
