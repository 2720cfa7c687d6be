#include "sample_objects.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "apiserver/codec/yaml_reader.h"
#include "base/io/whole_file.h"
#include "sample_template.h"
#include "support/paths.h"

namespace capstan::differential {
namespace {

// Widgets are last: see SampleKinds.
constexpr std::array kFiles = {"core",    "workloads", "batch",        "network",
                               "storage", "policy",    "certificates", "custom"};

json::Value ReadSamples(const std::string& file) {
  const std::string path = tests::TestFolder().string() + "/differential/samples/" + file + ".yaml";
  const auto text = io::ReadWholeFile(path);
  if (!text.ok()) throw std::logic_error(text.status().ToString());
  std::vector<std::string> repeated;
  auto value = testing::server::ReadYaml(*text, repeated);
  if (!value.ok()) throw std::logic_error(path + ": " + value.status().ToString());
  if (!repeated.empty()) throw std::logic_error(path + ": " + repeated.front());
  return *std::move(value);
}

const json::Value& Parts() {
  static const json::Value parts = ReadSamples("parts");
  return parts;
}

bool Contains(const json::Value& list, std::string_view text) {
  for (const json::Value& item : list.items()) {
    if (item.AsString() == text) return true;
  }
  return false;
}

SampleKind KindFrom(const json::Value& entry) {
  SampleKind kind;
  const std::string& name = entry.Get("kind").AsString();
  const size_t space = name.find(' ');
  kind.resource = entry.Get("resource").AsString();
  if (space == std::string::npos || kind.resource.empty() || !entry.Get("object").IsObject() ||
      entry.Get("patches").items().empty()) {
    throw std::logic_error("incomplete sample: " + json::ToJson(entry));
  }
  kind.api_version = name.substr(0, space);
  kind.kind = name.substr(space + 1);
  kind.namespaced = entry.Get("scope").AsString() != "Cluster";
  kind.status = Contains(entry.Get("subresources"), "status");
  kind.scale = Contains(entry.Get("subresources"), "scale");
  if (const json::Value* weight = entry.Find("weight")) {
    kind.weight = static_cast<int>(weight->AsInteger());
  }
  kind.only_namespace = entry.Get("namespace").AsString();
  kind.object = entry.Get("object");
  kind.patches = entry.Get("patches");
  kind.json_patches = entry.Get("json patches");
  kind.statuses = entry.Get("statuses");
  kind.approvals = entry.Get("approvals");
  if (kind.status && kind.statuses.items().empty()) {
    throw std::logic_error("no sample status of " + name);
  }
  return kind;
}

json::Value Filled(const json::Value& value, const std::string& name, Dice& dice) {
  return SampleTemplate(Parts(), dice).Filled(value, name);
}

// One item of a list of templates, as JSON.
std::string OneOf(const json::Value& templates, Dice& dice) {
  return json::ToJson(Filled(dice.Of(templates.items()), "alpha", dice));
}

json::Value Labels(Dice& dice) {
  return Parsed(dice.Of({R"({"app":"web"})", R"({"app":"db"})", R"({"app":"web","tier":"front"})",
                         R"({"app":"db","tier":"back"})", R"({})", R"({"tier":""})"}));
}

}  // namespace

std::string SampleKind::Root() const {
  return (api_version == "v1" ? "/api/" : "/apis/") + api_version;
}

const std::vector<SampleKind>& SampleKinds() {
  static const std::vector<SampleKind> kinds = [] {
    std::vector<SampleKind> all;
    for (const char* file : kFiles) {
      const json::Value entries = ReadSamples(file);
      for (const json::Value& entry : entries.items()) all.push_back(KindFrom(entry));
    }
    return all;
  }();
  return kinds;
}

const SampleKind& KindOf(std::string_view resource) {
  for (const SampleKind& kind : SampleKinds()) {
    if (kind.resource == resource) return kind;
  }
  throw std::logic_error("no sample of " + std::string(resource));
}

const std::vector<std::string>& SampleNamespaces() {
  static const std::vector<std::string> names = {"diff-a", "diff-b", "diff-apart"};
  return names;
}

json::Value WidgetDefinition() {
  return Parsed(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"widgets.diff.capstan.dev"},
    "spec":{"group":"diff.capstan.dev","scope":"Namespaced",
      "names":{"plural":"widgets","singular":"widget","kind":"Widget","shortNames":["wd"]},
      "versions":[{"name":"v1","served":true,"storage":true,
        "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size",
                                             "statusReplicasPath":".status.replicas"}},
        "additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"}],
        "schema":{"openAPIV3Schema":{"type":"object","properties":{
          "spec":{"type":"object","properties":{
            "size":{"type":"integer","minimum":0,"maximum":100,"default":3},
            "color":{"type":"string","enum":["red","blue"]},
            "tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
            "ports":{"type":"array","x-kubernetes-list-type":"map",
                     "x-kubernetes-list-map-keys":["name"],
                     "items":{"type":"object","required":["name"],"properties":{
                       "name":{"type":"string"},"port":{"type":"integer"}}}},
            "extra":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}},
          "status":{"type":"object","properties":{
            "replicas":{"type":"integer"},"note":{"type":"string"}}}}}}}]}})");
}

json::Value SampleObject(const SampleKind& kind, const std::string& name, Dice& dice) {
  json::Value object = Filled(kind.object, name, dice);
  object.Set("apiVersion", kind.api_version);
  object.Set("kind", kind.kind);
  json::Value& metadata = object.Mutable("metadata");
  metadata.Set("name", name);
  metadata.Set("labels", Labels(dice));
  if (dice.Percent(20)) metadata.Mutable("annotations").Set("note", "x");
  if (dice.Percent(8)) metadata.Mutable("finalizers").Append("diff.capstan.dev/hold");
  return object;
}

std::string SamplePatch(const SampleKind& kind, const std::string& object, Dice& dice) {
  if (dice.Percent(55)) return OneOf(kind.patches, dice);
  return dice.Of(
      {R"({"metadata":{"labels":{"tier":"mid"}}})",
       R"({"metadata":{"labels":{"app":null}}})",
       R"({"metadata":{"labels":null}})",
       R"({"metadata":{"annotations":{"a":"b"}}})",
       R"({"metadata":{"finalizers":null}})",
       R"({"metadata":{"finalizers":["diff.capstan.dev/hold"]}})",
       R"({"metadata":{"finalizers":["bad"]}})",
       R"({"metadata":{"labels":{"a b":"c"}}})",
       R"({"metadata":{"labels":{"a":"c d"}}})",
       R"({"metadata":{"name":"other"}})",
       R"({"metadata":{"uid":"00000000-0000-0000-0000-000000000000"}})",
       R"({"metadata":{"resourceVersion":"1"}})",
       R"({"metadata":{"namespace":"diff-b"}})",
       R"({"metadata":{"generation":77}})",
       R"({"kind":"Other"})",
       R"({})",
       R"({"apiVersion":"v9"})",
       R"({"metadata":null})",
       R"([])",
       R"("x")",
       R"({"a":)",
       R"({"metadata":{"creationTimestamp":null}})",
       R"({"bogus":1})",
       "",
       R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"x"}]}})",
       R"({"metadata":{"deletionTimestamp":"2020-01-01T00:00:00Z"}})",
       R"({"metadata":{"labels":{"old":"1"},"resourceVersion":"{{rv )" + object + R"(}}"}})",
       R"({"metadata":{"labels":{"old":"2"},"resourceVersion":"{{old )" + object + R"(}}"}})"});
}

std::string SampleJsonPatch(const SampleKind& kind, Dice& dice) {
  if (!kind.json_patches.items().empty() && dice.Percent(40)) {
    return OneOf(kind.json_patches, dice);
  }
  if (kind.scale && dice.Percent(30)) {
    const std::string path = kind.kind == "Widget" ? "/spec/size" : "/spec/replicas";
    const std::string replace = R"([{"op":"replace","path":")" + path + R"(","value":)";
    return dice.Of({replace + "4}]", replace + "\"4\"}]",
                    R"([{"op":"test","path":")" + path + R"(","value":3}])",
                    R"([{"op":"remove","path":")" + path + R"("}])"});
  }
  const std::string test_and_add =
      R"([{"op":"test","path":"/metadata/labels/app","value":"web"},)"
      R"({"op":"add","path":"/metadata/annotations","value":{"t":"1"}}])";
  return dice.Of(
      {R"([{"op":"add","path":"/metadata/labels/x","value":"y"}])",
       R"([{"op":"remove","path":"/metadata/labels/app"}])",
       R"([{"op":"replace","path":"/metadata/labels/app","value":"new"}])",
       test_and_add,
       R"([{"op":"add","path":"/metadata/annotations/a~1b","value":"c"}])",
       R"([{"op":"copy","from":"/metadata/labels/app","path":"/metadata/labels/copy"}])",
       R"([{"op":"move","from":"/metadata/labels/tier","path":"/metadata/labels/level"}])",
       R"([{"op":"add","path":"/no/such/path","value":1}])",
       R"([{"op":"jump","path":"/metadata"}])",
       R"([{"path":"/metadata"}])",
       R"({"op":"add"})",
       R"([])",
       R"([{"op":"remove","path":""}])",
       R"([{"op":"replace","path":"","value":{}}])",
       R"([1])",
       R"([{"op":"add","path":)",
       R"([{"op":"add","path":"/metadata/labels","value":[]}])",
       R"([{"op":"replace","path":"/metadata/name","value":"other"}])",
       R"([{"op":"add","path":"/bogus","value":true}])",
       R"([{"op":"remove","path":"/metadata/finalizers"}])",
       R"([{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"j","image":"i"}}])",
       R"([{"op":"remove","path":"/spec/template/spec/containers/7"}])",
       R"([{"op":"test","path":"/metadata/nothing","value":null}])",
       R"([{"op":"add","path":"metadata/labels","value":{}}])",
       "null"});
}

std::string SampleStatus(const SampleKind& kind, std::string_view subresource, Dice& dice) {
  const json::Value& statuses = subresource == "approval" ? kind.approvals : kind.statuses;
  return statuses.items().empty() ? R"({"replicas":1})" : OneOf(statuses, dice);
}

json::Value Parsed(const std::string& text) {
  auto parsed = json::ParseValue(text);
  if (!parsed.ok()) throw std::logic_error(parsed.status().ToString() + " in " + text);
  return std::move(parsed->value);
}

}  // namespace capstan::differential
