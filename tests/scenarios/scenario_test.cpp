#include "scenario_test.h"

#include <iostream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <capstan/api/coordination_v1.h>

namespace capstan::scenarios {
namespace {

void Check(const Status& status, const std::string& what) {
  if (!status.ok()) throw std::runtime_error(what + ": " + status.ToString());
}

struct ObjectPath {
  const TypeDescriptor* type;
  std::string name;
  std::string subresource;
};

// "pods/NAME/status"
ObjectPath ParsePath(const std::string& path) {
  const size_t first = path.find('/');
  const size_t second = path.find('/', first + 1);
  const std::string resource = path.substr(0, first);
  ObjectPath parsed;
  parsed.type = resource == "deployments"   ? &DescriptorOf<Deployment>()
                : resource == "replicasets" ? &DescriptorOf<ReplicaSet>()
                                            : &DescriptorOf<Pod>();
  if (first != std::string::npos) parsed.name = path.substr(first + 1, second - first - 1);
  if (second != std::string::npos) parsed.subresource = path.substr(second + 1);
  return parsed;
}

std::string Quoted(const std::string& text) { return json::ToJson(json::Value(text)); }

int64_t RevisionNumber(const json::Value& object) {
  const std::string text = RevisionOf(object);
  return text.empty() ? 0 : std::stoll(text);
}

}  // namespace

ScenarioTest::ScenarioTest(WorldKind kind) : ScenarioTest(NewWorld(kind)) {}

ScenarioTest::ScenarioTest(std::unique_ptr<World> world)
    : world_(std::move(world)), kubelet_(world_->kubelet()), observer_(*world_) {}

ScenarioTest::~ScenarioTest() = default;

void ScenarioTest::TearDown() {
  for (const auto& manager : managers_) {
    if (manager->IsRunning()) {
      EXPECT_EQ(manager->Terminate(), 0) << manager->LogTail();
    }
    if (HasFailure()) std::cerr << manager->LogTail() << "\n";
  }
}

Manager& ScenarioTest::StartManager(const ManagerOptions& options) {
  return *managers_.emplace_back(world_->StartManager(options));
}

Manager& ScenarioTest::StartLeader(const ManagerOptions& options) {
  Manager& manager = StartManager(options);
  EXPECT_TRUE(GetsToLead(manager));
  return manager;
}

::testing::AssertionResult ScenarioTest::GetsToLead(Manager& manager) {
  if (world_->Until([&] { return manager.IsLeading() || !manager.IsRunning(); }, Seconds(30)) &&
      manager.IsRunning()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "the manager does not lead; " << manager.LogTail();
}

void ScenarioTest::Apply(const Workload& workload) {
  Check(world_->client()
            .Create(DescriptorOf<Deployment>(), world_->namespace_name(), workload.ToJson())
            .status(),
        "create " + workload.name);
}

void ScenarioTest::CreateObject(const std::string& resource, const std::string& json) {
  Check(world_->client().Create(*ParsePath(resource).type, world_->namespace_name(), json).status(),
        "create an object of " + resource);
}

void ScenarioTest::SetImage(const std::string& image) {
  Check(world_->client()
            .Patch<Deployment>({world_->namespace_name(), "web"}, PatchType::kStrategicMerge,
                               ImagePatch(image))
            .status(),
        "set image");
}

void ScenarioTest::SetBrokenImage(const std::string& image) {
  Patch("deployments/web",
        R"({"spec":{"template":{"metadata":{"annotations":{"capstan.dev/ready-after":"never"}},)"
        R"("spec":{"containers":[{"name":"web","image":)" +
            Quoted(image) + "}]}}}}");
}

void ScenarioTest::Scale(int replicas) {
  Patch("deployments/web/scale", R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}");
}

void ScenarioTest::Pause() { Patch("deployments/web", R"({"spec":{"paused":true}})"); }
void ScenarioTest::Resume() { Patch("deployments/web", R"({"spec":{"paused":null}})"); }

void ScenarioTest::Undo() {
  const int64_t present = RevisionNumber(Get());
  const json::Value replica_sets = Get("replicasets");
  const json::Value* previous = nullptr;
  for (const json::Value& replica_set : replica_sets.Get("items").items()) {
    const int64_t revision = RevisionNumber(replica_set);
    if (revision >= present) continue;
    if (previous == nullptr || revision > RevisionNumber(*previous)) previous = &replica_set;
  }
  if (previous == nullptr) throw std::runtime_error("there is no revision to go back to");
  json::Value pod_template = previous->Get("spec", "template");
  pod_template.Mutable("metadata", "labels").Erase("pod-template-hash");
  const std::string patch =
      R"([{"op":"replace","path":"/spec/template","value":)" + json::ToJson(pod_template) + "}]";
  Check(world_->client()
            .Patch<Deployment>({world_->namespace_name(), "web"}, PatchType::kJson, patch)
            .status(),
        "undo");
}

void ScenarioTest::Patch(const std::string& path, const std::string& merge_patch) {
  const ObjectPath object = ParsePath(path);
  Check(world_->client()
            .Patch(*object.type, {world_->namespace_name(), object.name}, PatchType::kMerge,
                   merge_patch, object.subresource)
            .status(),
        "patch " + path);
}

void ScenarioTest::Annotate(const std::string& path, const std::string& key,
                            const std::string& value) {
  Patch(path, R"({"metadata":{"annotations":{)" + Quoted(key) + ":" + Quoted(value) + "}}}");
}

void ScenarioTest::Label(const std::string& path, const std::string& key,
                         const std::string& value) {
  Patch(path, R"({"metadata":{"labels":{)" + Quoted(key) + ":" + Quoted(value) + "}}}");
}

void ScenarioTest::Delete(const std::string& path, const DeleteOptions& options) {
  const ObjectPath object = ParsePath(path);
  Check(world_->client().Delete(*object.type, {world_->namespace_name(), object.name}, options),
        "delete " + path);
}

json::Value ScenarioTest::Get(const std::string& path) {
  const bool is_core = path.starts_with("pods") || path.starts_with("events");
  const std::string url = std::string(is_core ? "/api/v1" : "/apis/apps/v1") + "/namespaces/" +
                          world_->namespace_name() + "/" + path;
  Result<std::string> text = world_->client().GetPath(url);
  Check(text.status(), "get " + path);
  Result<json::ParsedValue> parsed = json::ParseValue(*std::move(text));
  Check(parsed.status(), "get " + path);
  return std::move(parsed->value);
}

bool ScenarioTest::Exists(const std::string& path) {
  const ObjectPath object = ParsePath(path);
  const Status status =
      world_->client().Get(*object.type, {world_->namespace_name(), object.name}).status();
  if (!status.IsNotFound()) Check(status, "get " + path);
  return status.ok();
}

json::Value ScenarioTest::LeaseSpec() {
  const NamespacedName lease = world_->lease();
  Result<std::string> text = world_->client().GetPath("/apis/coordination.k8s.io/v1/namespaces/" +
                                                      lease.namespace_ + "/leases/" + lease.name);
  Check(text.status(), "get the lease");
  Result<json::ParsedValue> parsed = json::ParseValue(*std::move(text));
  Check(parsed.status(), "get the lease");
  return parsed->value.Get("spec");
}

::testing::AssertionResult ScenarioTest::HasEvent(const std::string& reason,
                                                  const std::string& message) {
  std::string told;
  const bool is_told = world_->Until(
      [&] {
        told.clear();
        const json::Value events = Get("events");
        for (const json::Value& event : events.Get("items").items()) {
          const std::string& of_event = event.Get("message").AsString();
          told += "  " + event.Get("reason").AsString() + ": " + of_event + "\n";
          if (event.Get("reason").AsString() == reason && of_event == message) return true;
        }
        return false;
      },
      Seconds(30));
  if (is_told) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "no event says " << reason << ": " << message << "; there are\n"
         << told;
}

void ScenarioTest::Wait(Duration time) {
  world_->Until([] { return false; }, time);
}

::testing::AssertionResult ScenarioTest::Create(const Workload& workload) {
  Apply(workload);
  return BecomesComplete(workload.replicas);
}

::testing::AssertionResult ScenarioTest::BecomesComplete(int replicas, Duration limit) {
  const int64_t generation = Get().Get("metadata", "generation").AsInteger();
  return observer_.Eventually(
      "generation " + std::to_string(generation) + " is complete with " + std::to_string(replicas) +
          " pods",
      [&](const View& view) {
        return IsComplete(view, replicas) && view.deployment->metadata.generation >= generation;
      },
      limit);
}

::testing::AssertionResult ScenarioTest::Eventually(const std::string& what,
                                                    const std::function<bool()>& is,
                                                    Duration limit) {
  if (world_->Until(is, limit)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "not in time: " << what << "; the last state is\n"
                                       << observer_.Now().ToString();
}

::testing::AssertionResult ScenarioTest::StaysWithin(size_t mark, int max_replicas,
                                                     int min_available) {
  const ::testing::AssertionResult below =
      observer_.Always("the ReplicaSets ask for at most " + std::to_string(max_replicas) + " pods",
                       mark, [&](const View& view) { return view.SpecReplicas() <= max_replicas; });
  if (!below) return below;
  return observer_.Always("at least " + std::to_string(min_available) + " pods are available", mark,
                          [&](const View& view) { return view.AvailablePods() >= min_available; });
}

std::vector<std::string> Each(const json::Value& list,
                              const std::function<std::string(const json::Value&)>& of) {
  std::vector<std::string> all;
  for (const json::Value& item : list.Get("items").items()) all.push_back(of(item));
  return all;
}

std::string ImageOf(const json::Value& pod) {
  const json::Value::Items& containers = pod.Get("spec", "containers").items();
  return containers.empty() ? "" : containers[0].Get("image").AsString();
}

std::string RevisionOf(const json::Value& object) {
  return object.Get("metadata", "annotations", "deployment.kubernetes.io/revision").AsString();
}

json::Value ConditionOf(const json::Value& object, const std::string& type) {
  for (const json::Value& condition : object.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == type) return condition;
  }
  return {};
}

}  // namespace capstan::scenarios
