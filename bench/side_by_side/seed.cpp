#include "bench/side_by_side/seed.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>

#include "bench/side_by_side/cluster.h"
#include "bench/side_by_side/pod_starter.h"
#include "bench/side_by_side/workload.h"

namespace capstan::bench {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Namespace;
using api::core::v1::Pod;

constexpr int kWriters = 3;
constexpr std::chrono::seconds kTemplateLimit{120};

// What the second group of a new UID says.
enum class UidOf : int { kNamespace, kDeployment, kReplicaSet, kPod };

std::string NewUid(UidOf kind, int owner, int number) {
  char uid[64];
  std::snprintf(uid, sizeof uid, "%08x-%04x-4000-8000-%012x", static_cast<unsigned>(owner),
                static_cast<unsigned>(kind), static_cast<unsigned>(number));
  return uid;
}

// `to` is as long as `from`, so that the lengths in the encoding stay right.
void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  if (from.size() != to.size()) throw std::logic_error("the lengths differ");
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, to.size(), to);
}

template <class T>
T Checked(Result<T> result) {
  if (!result) throw std::runtime_error(result.status().ToString());
  return *std::move(result);
}

// Makes the Deployment of the templates: three revisions, all pods bound and Ready.
void MakeDeployment(Cluster& cluster) {
  const std::string namespace_name = SeedNamespace(0);
  const Client& client = cluster.client();
  Namespace object;
  object.metadata.name = namespace_name;
  Checked(client.Create(object));
  DeploymentView view(client, namespace_name);
  PodStarter starter(client, {.namespace_name = namespace_name});
  cluster.StartManagerAndWait(FastFlags());
  const std::string name = DeploymentName(0);
  Checked(client.Create(DescriptorOf<Deployment>(), namespace_name,
                        DeploymentJson(name, kSeedPodsEach, 1)));
  const auto await = [&](int64_t generation) {
    view.AwaitComplete(
        {{name, generation}}, kSeedPodsEach, [&] { return starter.HasReadyPods(kSeedPodsEach); },
        kTemplateLimit);
  };
  await(1);
  for (int version = 2; version <= kSeedReplicaSetsEach; ++version) {
    if (version == kSeedReplicaSetsEach) starter.BindPods();
    const auto patched = Checked(client.Patch<Deployment>(
        {namespace_name, name}, PatchType::kStrategicMerge, ImagePatch(version)));
    await(patched->metadata.generation);
  }
  cluster.BeginPhase();
  cluster.EndWhenWritten();
  cluster.StopManager();
}

}  // namespace

std::string SeedNamespace(int number) {
  char name[32];
  std::snprintf(name, sizeof name, "bench-%03d", number);
  return name;
}

std::string SeedNamespaceOf(const SeedSize& size, int number) {
  return SeedNamespace(number % size.namespaces);
}

SeedTemplates::Object SeedTemplates::Take(const Etcd& etcd, const std::string& key,
                                          std::string name, const Uid& uid) {
  auto found = etcd.Range(key);
  if (found.size() != 1) throw std::runtime_error("etcd has no single value of " + key);
  auto& value = found.front().second;
  if (!value.starts_with(std::string_view("k8s\0", 4)) ||
      value.find(uid.str()) == std::string::npos)
    throw std::runtime_error(key + " is not stored as protobuf");
  return {key, std::move(value), std::move(name), uid.str()};
}

SeedTemplates::SeedTemplates() {
  Cluster cluster(ManagerKind::kKcm);
  MakeDeployment(cluster);
  const Etcd etcd(cluster.etcd_url());
  const Client& client = cluster.client();
  const std::string namespace_name = SeedNamespace(0);
  const auto take = [&](const std::string& resource, const api::ObjectMeta& metadata) {
    return Take(etcd, "/registry/" + resource + "/" + namespace_name + "/" + metadata.name,
                metadata.name, metadata.uid);
  };
  const auto space = Checked(client.Get<Namespace>({"", namespace_name}));
  namespace_ =
      Take(etcd, "/registry/namespaces/" + namespace_name, namespace_name, space->metadata.uid);
  const auto deployment = Checked(client.Get<Deployment>({namespace_name, DeploymentName(0)}));
  deployment_ = take("deployments", deployment->metadata);
  for (const auto& set : Checked(client.ListAll<ReplicaSet>(namespace_name)))
    replica_sets_.push_back(take("replicasets", set->metadata));
  const auto pods = Checked(client.ListAll<Pod>(namespace_name));
  if (replica_sets_.size() != kSeedReplicaSetsEach || pods.size() != kSeedPodsEach)
    throw std::runtime_error("the template of the seed is not as it should be");
  pod_ = take("pods", pods.front()->metadata);
}

void SeedTemplates::Rename(std::string& text, const std::string& namespace_name, int number) const {
  ReplaceAll(text, namespace_.name, namespace_name);
  ReplaceAll(text, deployment_.name, DeploymentName(number));
  ReplaceAll(text, deployment_.uid, NewUid(UidOf::kDeployment, number, 0));
  int count = 0;
  for (const Object& set : replica_sets_)
    ReplaceAll(text, set.uid, NewUid(UidOf::kReplicaSet, number, count++));
}

KeyValue SeedTemplates::CopyNamespace(int number) const {
  KeyValue copy{namespace_.key, namespace_.value};
  ReplaceAll(copy.first, namespace_.name, SeedNamespace(number));
  ReplaceAll(copy.second, namespace_.name, SeedNamespace(number));
  ReplaceAll(copy.second, namespace_.uid, NewUid(UidOf::kNamespace, number, 0));
  return copy;
}

std::vector<KeyValue> SeedTemplates::Copy(const SeedSize& size, int number) const {
  const std::string namespace_name = SeedNamespaceOf(size, number);
  std::vector<KeyValue> copies;
  const auto add = [&](const Object& object) -> KeyValue& {
    KeyValue& copy = copies.emplace_back(object.key, object.value);
    Rename(copy.first, namespace_name, number);
    Rename(copy.second, namespace_name, number);
    return copy;
  };
  add(deployment_);
  for (const Object& set : replica_sets_) add(set);
  // A pod's name ends with five characters of its own.
  std::string old_name = pod_.name;
  Rename(old_name, namespace_name, number);
  for (int i = 0; i < kSeedPodsEach; ++i) {
    KeyValue& copy = add(pod_);
    char suffix[16];
    std::snprintf(suffix, sizeof suffix, "%05d", i);
    const std::string name = old_name.substr(0, old_name.size() - 5) + suffix;
    ReplaceAll(copy.first, old_name, name);
    ReplaceAll(copy.second, old_name, name);
    ReplaceAll(copy.second, pod_.uid, NewUid(UidOf::kPod, number, i));
  }
  return copies;
}

void Seed(const std::string& etcd_url, const SeedTemplates& templates, const SeedSize& size) {
  const Etcd etcd(etcd_url);
  etcd.AwaitReady();
  std::vector<KeyValue> namespaces;
  namespaces.reserve(static_cast<size_t>(size.namespaces));
  for (int i = 0; i < size.namespaces; ++i) namespaces.push_back(templates.CopyNamespace(i));
  etcd.Put(namespaces);

  std::atomic<int> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto write = [&] {
    try {
      std::vector<KeyValue> batch;
      size_t bytes = 0;
      for (int number = next++; number < size.deployments(); number = next++) {
        for (KeyValue& copy : templates.Copy(size, number)) {
          if (batch.size() == Etcd::kMaxPuts || bytes + copy.second.size() > Etcd::kMaxBytes) {
            etcd.Put(std::exchange(batch, {}));
            bytes = 0;
          }
          bytes += copy.second.size();
          batch.push_back(std::move(copy));
        }
      }
      if (!batch.empty()) etcd.Put(batch);
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int i = 0; i < kWriters; ++i) writers.emplace_back(write);
  for (std::thread& writer : writers) writer.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace capstan::bench
