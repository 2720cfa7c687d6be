// Compares the errors of the strategies for invalid objects with those of kube-apiserver 1.36.3.
// The files of `cases` contain its texts; each test is one of the cases. (`causes` are the causes
// of a rejected object in order. A cause that an update reports twice with the same text counts
// once.)

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/patch/patch.h"
#include "json/value.h"
#include "sdk/testing/apiserver/write_fixture.h"
#include "support/paths.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAreArray;

constexpr std::string_view kRepeat = "{repeat} ";
// A deletion that removes everything, also the pods of Jobs, which are kept by default.
constexpr char kAtOnce[] = "gracePeriodSeconds=0&propagationPolicy=Background";

json::Value CasesOf(const std::string& family) {
  std::ifstream file(tests::TestFolder().string() + "/sdk/testing/apiserver/strategy/cases/" +
                     family + ".json");
  std::stringstream text;
  text << file.rdbuf();
  Result<json::ParsedValue> parsed = json::ParseValue(text.str());
  EXPECT_TRUE(parsed.ok()) << family << ": " << parsed.status().ToString();
  return parsed.ok() ? parsed->value : json::Value();
}

// Long texts are written as "{repeat} x 300".
json::Value Expanded(const json::Value& value) {
  if (value.IsString() && value.AsString().substr(0, kRepeat.size()) == kRepeat) {
    std::istringstream words(value.AsString().substr(kRepeat.size()));
    std::string part;
    size_t times = 0;
    words >> part >> times;
    std::string text;
    while (times-- > 0) text += part;
    return text;
  }
  json::Value expanded = value;
  for (size_t i = 0; i < value.items().size(); ++i) {
    expanded.MutableItems()[i] = Expanded(value.items()[i]);
  }
  for (const json::Member& member : value.members()) {
    expanded.Set(member.key, Expanded(member.value));
  }
  return expanded;
}

// Each server assigns its own uids.
std::string WithoutUids(const std::string& text) {
  static const std::regex kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  return std::regex_replace(text, kUid, "UID");
}

void AddOnce(std::vector<std::string>& texts, std::string text) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& text : list.items()) AddOnce(texts, text.AsString());
  return texts;
}

std::vector<std::string> CausesOf(const Answer& answer) {
  if (answer.code < 300) return {};
  std::vector<std::string> causes;
  for (const json::Value& cause : answer.object.Get("details", "causes").items()) {
    AddOnce(causes,
            WithoutUids(cause.Get("field").AsString() + ": " + cause.Get("message").AsString()));
  }
  if (causes.empty()) causes.push_back(std::to_string(answer.code) + " " + answer.message());
  return causes;
}

std::string Merged(const json::Value& object, const json::Value& patch) {
  Result<json::Value> merged = ApplyMergePatch(object, Expanded(patch));
  EXPECT_TRUE(merged.ok()) << merged.status().ToString();
  return merged.ok() ? json::ToJson(*merged) : "";
}

class RuleCases : public WriteTest, public ::testing::WithParamInterface<const char*> {
 protected:
  Answer Try(const json::Value& cases, const json::Value& one) {
    const std::string& resource = cases.Get("resource").AsString();
    const json::Value& object = cases.Get("object");
    const json::Value* update = one.Find("update");
    if (!update) return Create(resource, Merged(object, one.Get("patch")), "dryRun=All");
    const Answer before = Create(resource, Merged(object, one.Get("before")));
    EXPECT_EQ(before.code, 201) << before.message();
    const std::string name = before.object.Get("metadata", "name").AsString();
    Answer answer = Send({.verb = "patch",
                          .resource = resource,
                          .name = name,
                          .body = json::ToJson(Expanded(*update)),
                          .query = "dryRun=All",
                          .content_type = "application/merge-patch+json",
                          .subresource = one.Get("subresource").AsString()});
    Send({.verb = "delete", .resource = resource, .name = name, .query = kAtOnce});
    return answer;
  }
};

TEST_P(RuleCases, MatchTheErrorsOfKubeApiserver) {
  const json::Value cases = CasesOf(GetParam());
  ASSERT_FALSE(cases.Get("cases").items().empty());
  if (const json::Value& definition = cases.Get("definition"); !definition.IsNull()) {
    const Answer defined =
        Create("customresourcedefinitions.apiextensions.k8s.io", json::ToJson(definition));
    ASSERT_EQ(defined.code, 201) << defined.message();
  }
  for (const json::Value& one : cases.Get("cases").items()) {
    const Answer answer = Try(cases, one);
    EXPECT_THAT(CausesOf(answer), ElementsAreArray(TextsOf(one.Get("causes"))))
        << one.Get("name").AsString();
    if (answer.code >= 300) continue;
    EXPECT_THAT(answer.warnings, ElementsAreArray(TextsOf(one.Get("warnings"))))
        << one.Get("name").AsString();
  }
}

INSTANTIATE_TEST_SUITE_P(Families, RuleCases,
                         ::testing::Values("object_meta", "pods", "deployments", "replicasets",
                                           "services", "leases", "config", "secrets", "namespaces",
                                           "nodes", "events", "events_v1", "definitions",
                                           "custom_resources", "statefulsets", "daemonsets",
                                           "controllerrevisions", "jobs", "cronjobs",
                                           "poddisruptionbudgets", "horizontalpodautoscalers",
                                           "resourcequotas", "limitranges",
                                           "persistentvolumeclaims", "endpoints", "endpointslices",
                                           "certificatesigningrequests"),
                         [](const auto& family) { return std::string(family.param); });

// Removes what differs between any two servers.
json::Value Comparable(json::Value object) {
  object = json::ParseValue(WithoutUids(json::ToJson(object)))->value;
  for (const char* field : {"uid", "creationTimestamp", "resourceVersion"}) {
    object.Mutable("metadata").Erase(field);
  }
  if (object.Get("kind").AsString() != "Service") return object;
  for (const char* field : {"clusterIP", "clusterIPs"}) {
    const std::string text = json::ToJson(object.Get("spec").Get(field));
    if (text.find("10.96.") != std::string::npos) object.Mutable("spec", field) = "allocated";
  }
  if (object.Get("spec", "ports").items().empty()) return object;
  for (json::Value& port : object.Mutable("spec", "ports").MutableItems()) {
    const int64_t node_port = port.Get("nodePort").AsInteger();
    if (node_port >= 30000 && node_port <= 32767) port.Set("nodePort", "allocated");
  }
  return object;
}

TEST_F(WriteTest, NewObjectsGetTheDefaultsOfKubeApiserver) {
  const json::Value cases = CasesOf("defaults");
  ASSERT_FALSE(cases.Get("cases").items().empty());
  for (const json::Value& one : cases.Get("cases").items()) {
    const Answer answer = Create(one.Get("resource").AsString(), json::ToJson(one.Get("object")));
    ASSERT_EQ(answer.code, 201) << one.Get("name").AsString() << ": " << answer.message();
    EXPECT_EQ(json::ToJson(Comparable(answer.object)), json::ToJson(one.Get("created")))
        << one.Get("name").AsString();
    Send({.verb = "delete",
          .resource = one.Get("resource").AsString(),
          .name = answer.object.Get("metadata", "name").AsString(),
          .query = kAtOnce});
  }
}

}  // namespace
}  // namespace capstan::testing::server
