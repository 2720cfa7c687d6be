#include "hostile_world.h"

#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace capstan::scenarios {
namespace {

using json::Value;

constexpr std::string_view kDeployment = R"({
  "apiVersion": "apps/v1", "kind": "Deployment",
  "metadata": {"name": "hostile", "generation": 2},
  "spec": {
    "replicas": 3, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
    "selector": {"matchLabels": {"app": "hostile"}},
    "strategy": {"type": "RollingUpdate",
                 "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    "template": {"metadata": {"labels": {"app": "hostile"}},
                 "spec": {
                   "containers": [{"name": "web", "image": "example.com/hostile:2",
                                   "imagePullPolicy": "IfNotPresent", "resources": {},
                                   "terminationMessagePath": "/dev/termination-log",
                                   "terminationMessagePolicy": "File"}],
                   "dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
                   "schedulerName": "default-scheduler", "securityContext": {},
                   "terminationGracePeriodSeconds": 30}}
  },
  "status": {}
})";

constexpr std::string_view kReplicaSet = R"({
  "apiVersion": "apps/v1", "kind": "ReplicaSet",
  "metadata": {
    "name": "hostile-old", "generation": 1,
    "labels": {"app": "hostile", "pod-template-hash": "old"},
    "annotations": {"deployment.kubernetes.io/desired-replicas": "3",
                    "deployment.kubernetes.io/max-replicas": "4",
                    "deployment.kubernetes.io/revision": "1"},
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "hostile",
                         "uid": "00000000-0000-4000-8000-000000000001",
                         "controller": true, "blockOwnerDeletion": true}]
  },
  "spec": {
    "replicas": 3,
    "selector": {"matchLabels": {"app": "hostile", "pod-template-hash": "old"}},
    "template": {"metadata": {"labels": {"app": "hostile", "pod-template-hash": "old"}},
                 "spec": {
                   "containers": [{"name": "web", "image": "example.com/hostile:1",
                                   "imagePullPolicy": "IfNotPresent", "resources": {},
                                   "terminationMessagePath": "/dev/termination-log",
                                   "terminationMessagePolicy": "File"}],
                   "dnsPolicy": "ClusterFirst", "restartPolicy": "Always",
                   "schedulerName": "default-scheduler", "securityContext": {},
                   "terminationGracePeriodSeconds": 30}}
  },
  "status": {"replicas": 3, "observedGeneration": 1}
})";

constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "labels": {"app": "hostile", "pod-template-hash": "old"},
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "hostile-old",
                         "uid": "00000000-0000-4000-8000-000000000002",
                         "controller": true, "blockOwnerDeletion": true}]
  },
  "spec": {"nodeName": "node-1", "containers": [{"name": "web", "image": "example.com/hostile:1"}]},
  "status": {"phase": "Running"}
})";

Value Parsed(std::string_view text) {
  Result<json::ParsedValue> parsed = json::ParseValue(std::string(text));
  if (!parsed) throw std::runtime_error(parsed.status().ToString());
  return std::move(parsed->value);
}

// A JSON merge patch, RFC 7396.
void Merge(const Value& patch, Value& target) {
  if (!patch.IsObject()) {
    target = patch;
    return;
  }
  if (!target.IsObject()) target = Value::Object();
  for (const json::Member& member : patch.members()) {
    if (member.value.IsNull()) {
      target.Erase(member.key);
    } else {
      Merge(member.value, target.Mutable(member.key));
    }
  }
}

// Adds objects to the output of ApiServer::Save.
class Store {
 public:
  explicit Store(std::string_view saved) : state_(Parsed(saved)) {}

  void Add(const char* storage, std::string_view sound, const std::string& name,
           const Value& patch) {
    char uid[37];
    std::snprintf(uid, sizeof(uid), "00000000-0000-4000-8000-%012d", ++objects_);
    Value object = Parsed(sound);
    Value& metadata = object.Mutable("metadata");
    if (metadata.Get("name").IsNull() || objects_ > 2) metadata.Set("name", name);
    metadata.Set("namespace", kHostileNamespace);
    metadata.Set("uid", uid);
    metadata.Set("creationTimestamp", "2026-01-01T00:00:00Z");
    if (patch.IsObject()) Merge(patch, object);
    const int64_t version = state_.Get("version").AsInteger() + 1;
    state_.Set("version", version);
    object.Mutable("metadata").Set("resourceVersion", std::to_string(version));
    state_.Mutable("storages", storage)
        .Append(Value::Object({{"namespace", kHostileNamespace},
                               {"name", object.Get("metadata", "name").AsString()},
                               {"object", object}}));
  }
  std::string Text() const { return json::ToJson(state_); }

 private:
  Value state_;
  int objects_ = 0;
};

}  // namespace

void StoreHostileObjects(FakeWorld& world, const Value& hostile_case) {
  CreateNamespaces(world.client(), {kHostileNamespace});
  Store store(world.server().Save());
  store.Add("deployments.apps", kDeployment, "hostile", hostile_case.Get("deployment"));
  int count = 0;
  for (const Value& patch : hostile_case.Get("replica_sets").items()) {
    store.Add("replicasets.apps", kReplicaSet, "hostile-old-" + std::to_string(++count), patch);
  }
  for (const Value& patch : hostile_case.Get("pods").items()) {
    store.Add("pods", kPod, "hostile-old-pod-" + std::to_string(++count), patch);
  }
  const Status restored = world.server().Restore(store.Text());
  if (!restored.ok()) throw std::runtime_error(restored.ToString());
}

}  // namespace capstan::scenarios
