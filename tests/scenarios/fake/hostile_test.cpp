#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/log/log.h>
#include <gmock/gmock.h>

#include "all_lines.h"
#include "fake_world.h"
#include "hostile_world.h"
#include "scenarios/scenario_test.h"
#include "support/paths.h"

namespace capstan::scenarios {
namespace {

using json::Value;

// The maximum number of requests of the manager in half an hour without changes. The longest
// back-off is 1,000 s, so this allows for a few keys that cannot succeed.
constexpr int kMaxRequestsAtRest = 60;
constexpr size_t kMaxLinesAtRest = 100;

class HostileTest : public ScenarioTest {
 protected:
  HostileTest() : ScenarioTest(WorldKind::kFake) { SetLogSink(&log_); }
  void TearDown() override {
    ScenarioTest::TearDown();
    SetLogSink(nullptr);
    if (HasFailure()) std::cerr << log_.Text();
  }

  // Runs a case: its expectations are met, a valid Deployment works beside it, and then the manager
  // is idle.
  void RunHostileCase(const Value& hostile_case) {
    StoreHostileObjects(world(), hostile_case);
    world().faults().On({}).Do([this](const HttpRequest& request) {
      const bool is_watch = request.target.find("watch=") != std::string::npos;
      if (!is_watch && request.target.find("/leases/") == std::string::npos) ++requests_;
    });
    // Without leader election there is no hour of renewals, and only JSON has values of another
    // type.
    Manager& manager = StartManager({.leader_elect = false, .protobuf = false});
    for (const Value& expectation : hostile_case.Get("expect").items()) {
      EXPECT_TRUE(EventuallyHolds(expectation))
          << json::ToJson(expectation) << "\n"
          << json::ToJson(List("deployments")) << json::ToJson(List("replicasets"))
          << json::ToJson(List("events"));
    }
    EXPECT_TRUE(Create({.replicas = 3}));
    SetImage("example.com/web:2");
    EXPECT_TRUE(BecomesComplete(3));

    Wait(std::chrono::minutes(30));
    const int requests = requests_;
    const size_t errors = log_.Errors();
    Wait(std::chrono::minutes(30));
    EXPECT_LE(requests_ - requests, kMaxRequestsAtRest);
    EXPECT_LE(log_.Errors() - errors, kMaxLinesAtRest);
    EXPECT_TRUE(manager.IsLeading());
  }

 private:
  FakeWorld& world() { return static_cast<FakeWorld&>(*world_); }

  // Checks only now and then, because reading may be slow.
  bool EventuallyHolds(const Value& expectation) {
    for (int i = 0; i < 200; ++i) {
      if (IsMet(expectation)) return true;
      Wait(Seconds(5));
    }
    return false;
  }

  Value List(const std::string& path) {
    const std::string root =
        path.starts_with("events") || path.starts_with("pods") ? "/api/v1" : "/apis/apps/v1";
    Result<std::string> text =
        world_->client().GetPath(root + "/namespaces/" + kHostileNamespace + "/" + path);
    if (!text) return {};
    Result<json::ParsedValue> parsed = json::ParseValue(*std::move(text));
    return parsed ? parsed->value : Value();
  }

  // Expectation: one of
  // {"condition": TYPE, "reason": R}                    of the Deployment
  //   {"event": REASON, "message": PART}                  of any object, PART optional
  //   {"log": PART}                                       of any line
  //   {"object": "replicasets/NAME", "at": [KEY...], "is": VALUE}
  //   {"none": "replicasets/NAME"}                        the object no longer exists
  //   {"count": "replicasets", "is": NUMBER}
  bool IsMet(const Value& expectation) {
    if (const Value* part = expectation.Find("log")) return log_.Have(part->AsString());
    if (const Value* type = expectation.Find("condition")) {
      const Value condition = ConditionOf(List("deployments/hostile"), type->AsString());
      return condition.Get("reason") == expectation.Get("reason");
    }
    if (const Value* reason = expectation.Find("event")) {
      const Value events = List("events");
      return std::any_of(events.Get("items").items().begin(), events.Get("items").items().end(),
                         [&](const Value& event) {
                           return event.Get("reason") == *reason &&
                                  event.Get("message").AsString().find(
                                      expectation.Get("message").AsString()) != std::string::npos;
                         });
    }
    if (const Value* path = expectation.Find("none")) return List(path->AsString()).IsNull();
    if (const Value* list = expectation.Find("count")) {
      return static_cast<int64_t>(List(list->AsString()).Get("items").items().size()) ==
             expectation.Get("is").AsInteger();
    }
    Value value = List(expectation.Get("object").AsString());
    for (const Value& key : expectation.Get("at").items()) value = Value(value.Get(key.AsString()));
    return value == expectation.Get("is");
  }

  AllLines log_;
  int requests_ = 0;
};

std::filesystem::path Folder() { return tests::TestFolder() / "scenarios" / "hostile"; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Hostile : public HostileTest, public ::testing::WithParamInterface<std::string> {};

TEST_P(Hostile, ObjectsDoNotAffectOtherObjects) {
  std::ifstream file(Folder() / (GetParam() + ".json"));
  Result<json::ParsedValue> parsed =
      json::ParseValue(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  RunHostileCase(parsed->value);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Hostile, ::testing::ValuesIn(Cases()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class LargeHostileState : public HostileTest {};

TEST_F(LargeHostileState, ThousandsOfOldReplicaSetsAreDeletedDownToTheHistoryLimit) {
  constexpr int kSets = 1500;
  Value sets = Value::Array();
  for (int i = 0; i < kSets; ++i) {
    const std::string revision = std::to_string(i + 1);
    Value set;
    set.Mutable("metadata", "annotations").Set("deployment.kubernetes.io/revision", revision);
    set.Mutable("spec").Set("replicas", 0);
    set.Mutable("spec", "template", "metadata", "annotations").Set("revision", revision);
    set.Mutable("status").Set("replicas", 0);
    sets.Append(set);
  }
  Value hostile_case;
  hostile_case.Set("replica_sets", sets);
  // The Deployment's own pods never start, so the rollout must complete without pods.
  hostile_case.Mutable("deployment", "spec").Set("replicas", 0);
  hostile_case.Mutable("expect").Append(Value::Object({{"count", "replicasets"}, {"is", 11}}));
  RunHostileCase(hostile_case);
}

TEST_F(LargeHostileState, HundredsOfActiveReplicaSetsAreScaledToZero) {
  constexpr int kSets = 400;
  Value sets = Value::Array();
  for (int i = 0; i < kSets; ++i) {
    Value set;
    set.Mutable("spec").Set("replicas", 1);
    set.Mutable("spec", "template", "metadata", "labels").Set("number", std::to_string(i));
    set.Mutable("spec", "template", "metadata").Set("finalizers", Value::Array({"no pods of it"}));
    sets.Append(set);
  }
  Value hostile_case;
  hostile_case.Set("replica_sets", sets);
  hostile_case.Mutable("deployment", "spec").Set("replicas", 0);
  hostile_case.Mutable("expect").Append(Value::Object({{"count", "replicasets"}, {"is", 11}}));
  RunHostileCase(hostile_case);
}

TEST_F(LargeHostileState, VeryLargeLabelsAndAnnotationsAreCopied) {
  constexpr int kLabels = 5000;
  Value labels;
  labels.Set("app", "hostile");
  for (int i = 0; i < kLabels; ++i) labels.Set("label-" + std::to_string(i), "x");
  Value hostile_case;
  hostile_case.Mutable("deployment", "spec", "template", "metadata").Set("labels", labels);
  hostile_case.Mutable("deployment", "metadata").Set("labels", labels);
  hostile_case.Mutable("deployment", "metadata").Set("annotations", labels);
  hostile_case.Mutable("expect").Append(Value::Object({{"object", "deployments/hostile"},
                                                       {"at", Value::Array({"status", "replicas"})},
                                                       {"is", 3}}));
  RunHostileCase(hostile_case);
}

}  // namespace
}  // namespace capstan::scenarios
