#include "bench/side_by_side/pod_starter.h"

#include <capstan/api/core_v1.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "bench/side_by_side/workload.h"

CAPSTAN_DEFINE_RESOURCE(capstan::bench::PodMetadata,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true, .metadata_only = true),
                        CAPSTAN_FIELD(metadata))

namespace capstan::bench {
namespace {

using api::core::v1::Pod;

// The kubelets of many nodes work side by side.
constexpr int kWorkers = 16;

}  // namespace

PodStarter::PodStarter(const Client& client, Options options)
    : client_(client), options_(std::move(options)) {
  for (int i = 0; i < kWorkers; ++i) workers_.emplace_back([this] { Work(); });
  follower_ = std::make_unique<Follower<PodMetadata>>(
      client_, options_.namespace_name,
      Follower<PodMetadata>::Handlers{.changed = [this](const PodMetadata& pod) { See(pod); },
                                      .gone = [this](const std::string& name) { Forget(name); }});
}

PodStarter::~PodStarter() {
  follower_.reset();
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool PodStarter::HasReadyPods(size_t count) const {
  const std::lock_guard lock(mutex_);
  return pods_.size() == count && std::all_of(pods_.begin(), pods_.end(), [](const auto& pod) {
           return pod.second == State::kReady;
         });
}

void PodStarter::See(const PodMetadata& pod) {
  const std::lock_guard lock(mutex_);
  if (!pods_.try_emplace(pod.metadata.name, State::kStarting).second) return;
  due_.emplace(std::chrono::steady_clock::now() + options_.ready_after, pod.metadata.name);
  wake_.notify_one();
}

void PodStarter::Forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  pods_.erase(name);
}

bool PodStarter::AwaitDue(std::unique_lock<std::mutex>& lock) {
  const auto next = [this] {
    const Moment now = std::chrono::steady_clock::now();
    return due_.empty() ? now + std::chrono::seconds(1) : due_.begin()->first;
  };
  while (!stopped_ && (due_.empty() || next() > std::chrono::steady_clock::now()))
    wake_.wait_until(lock, next());
  return !stopped_;
}

void PodStarter::Work() {
  std::unique_lock lock(mutex_);
  while (AwaitDue(lock)) {
    const std::string name = due_.extract(due_.begin()).mapped();
    if (!pods_.contains(name)) continue;
    lock.unlock();
    Start(name);
    lock.lock();
    if (const auto pod = pods_.find(name); pod != pods_.end()) pod->second = State::kReady;
  }
}

void PodStarter::Start(const std::string& name) {
  const NamespacedName pod{options_.namespace_name, name};
  if (binds_) {
    const auto bound =
        client_.CreateSubresource(DescriptorOf<Pod>(), pod, "binding", BindingJson(name, "node-1"));
    if (!bound) std::fprintf(stderr, "%s\n", bound.status().ToString().c_str());
  }
  const auto patched = client_.Patch(DescriptorOf<PodMetadata>(), pod, PatchType::kStrategicMerge,
                                     ReadyPodPatch(), "status");
  if (!patched && !patched.status().IsNotFound())
    std::fprintf(stderr, "%s\n", patched.status().ToString().c_str());
}

}  // namespace capstan::bench
