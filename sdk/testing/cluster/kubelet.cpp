#include <capstan/testing/kubelet.h>

#include <algorithm>
#include <utility>

#include "cluster/kubelet_impl.h"

namespace capstan::testing {
namespace {

using kubelet::Pod;
using kubelet::PodRecord;
using kubelet::Task;

}  // namespace

Kubelet::Impl::Impl(Client with, Runtime& runtime, KubeletOptions options)
    : runtime(runtime),
      options(std::move(options)),
      client(with.WithStop(stop.get_token()).WithUserAgent("kubelet")) {
  {
    MutexLock lock(mutex);
    for (const std::string& node : this->options.nodes) {
      Schedule(Duration::zero(), {Task::Kind::kRegisterNode, {"", node}});
    }
  }
  worker = runtime.Start("kubelet", [this] { Work(); });
  watcher = runtime.Start("kubelet-watch", [this] { Watch(); });
}

Kubelet::Impl::~Impl() {
  stop.request_stop();
  watcher->Join();
  worker->Join();
}

void Kubelet::Impl::Watch() {
  const std::stop_token token = stop.get_token();
  while (!token.stop_requested()) {
    const Status status = resource_version.empty() ? List() : Follow();
    if (status.IsGone()) {
      resource_version.clear();
    } else if (!status.ok()) {
      (void)runtime.SleepFor(kubelet::kRetryPeriod, token);
    }
  }
}

Status Kubelet::Impl::List() {
  Result<ObjectList> list = client.List(DescriptorOf<Pod>(), options.namespace_, {});
  if (!list) return list.status();
  std::set<NamespacedName> gone;
  {
    MutexLock lock(mutex);
    for (const auto& [name, record] : pods) gone.insert(name);
  }
  for (const ObjectPtr& object : list->items) {
    const Pod& pod = *static_cast<const Pod*>(object.get());
    gone.erase(api::NameOf(pod.metadata));
    if (listed && Contradicts(pod)) Forget(api::NameOf(pod.metadata));
    Look(pod);
    if (listed) RepeatStatus(pod);
  }
  for (const NamespacedName& name : gone) Forget(name);
  resource_version = list->resource_version;
  listed = true;
  return Status::Ok();
}

// Whether the server has lost changes that the kubelet made to the pod. This happens if the server
// was restored from a backup. The kubelet then repeats the changes.
bool Kubelet::Impl::Contradicts(const Pod& pod) {
  MutexLock lock(mutex);
  const PodRecord* record = Find(api::NameOf(pod.metadata));
  if (!record) return false;
  return (!record->node.empty() && pod.spec.nodeName.empty()) ||
         (record->deleting && pod.metadata.deletionTimestamp.IsZero());
}

void Kubelet::Impl::RepeatStatus(const Pod& pod) {
  const NamespacedName name = api::NameOf(pod.metadata);
  MutexLock lock(mutex);
  const PodRecord* record = Find(name);
  if (!record || !record->started || lost.contains(record->node)) return;
  Schedule(Duration::zero(), {Task::Kind::kWriteStatus, name, record->uid});
}

Status Kubelet::Impl::Follow() {
  WatchOptions watch;
  watch.resource_version = resource_version;
  auto stream = client.Watch(DescriptorOf<Pod>(), options.namespace_, watch);
  if (!stream) return stream.status();
  while (true) {
    Result<std::optional<WatchEvent>> next = (*stream)->Next();
    if (!next) return next.status();
    if (!next->has_value()) return Status::Ok();
    const WatchEvent& event = **next;
    resource_version = event.resource_version;
    if (event.type == WatchEvent::Type::kBookmark) continue;
    const auto* pod = static_cast<const Pod*>(event.object.get());
    if (event.type == WatchEvent::Type::kDeleted) {
      Forget(pod ? api::NameOf(pod->metadata) : event.name);
    } else if (pod) {
      Look(*pod);
    }
  }
}

void Kubelet::Impl::Look(const Pod& pod) {
  const NamespacedName name = api::NameOf(pod.metadata);
  bool is_new = false;
  {
    MutexLock lock(mutex);
    const PodRecord* record = Find(name);
    is_new = !record || record->uid != pod.metadata.uid;
  }
  if (is_new) Forget(name);
  const PodBehaviour chosen = is_new ? BehaviourOf(pod) : PodBehaviour();
  MutexLock lock(mutex);
  PodRecord& record = pods[name];
  if (is_new) {
    record.behaviour = chosen;
    Begin(name, record, pod);
  }
  if (record.node.empty() && !pod.spec.nodeName.empty()) {
    record.node = pod.spec.nodeName.str();
    ++load[record.node];
  }
  if (!pod.metadata.deletionTimestamp.IsZero() && !record.deleting) BeginDeletion(name, record);
}

void Kubelet::Impl::Forget(const NamespacedName& name) {
  MutexLock lock(mutex);
  const auto found = pods.find(name);
  if (found == pods.end()) return;
  if (!found->second.node.empty()) --load[found->second.node];
  pods.erase(found);
}

PodBehaviour Kubelet::Impl::BehaviourOf(const Pod& pod) {
  std::function<PodBehaviour(const NamespacedName&)> ask;
  PodBehaviour chosen;
  {
    MutexLock lock(mutex);
    ask = choose;
    chosen = behaviour;
  }
  if (ask) chosen = ask(api::NameOf(pod.metadata));
  return kubelet::WithAnnotations(chosen, pod.metadata);
}

void Kubelet::Impl::Begin(const NamespacedName& name, PodRecord& record, const Pod& pod) {
  record.uid = pod.metadata.uid;
  record.containers = pod.spec.containers;
  record.number = numbers++;
  const InternedString& phase = pod.status.phase;
  if (phase == "Running" || phase == "Succeeded" || phase == "Failed") {
    // The pod was started before this kubelet.
    record.started = true;
    record.ready = phase == "Running";
    record.failed = !record.ready;
    record.start_time = record.ready_changed = record.failed_time = Now();
    return;
  }
  if (pod.metadata.deletionTimestamp.IsZero()) {
    Schedule(Duration::zero(), {Task::Kind::kSchedule, name, record.uid});
  }
}

void Kubelet::Impl::BeginDeletion(const NamespacedName& name, PodRecord& record) {
  record.deleting = true;
  record.hanging = !record.behaviour.gone_after;
  if (record.hanging) return;
  Schedule(*record.behaviour.gone_after, {Task::Kind::kFinishDeletion, name, record.uid});
}

void Kubelet::Impl::Schedule(Duration delay, Task task) {
  tasks.emplace(runtime.Now() + delay, std::move(task));
  due->NotifyAll();
}

PodRecord* Kubelet::Impl::Find(const NamespacedName& name) {
  const auto found = pods.find(name);
  return found == pods.end() ? nullptr : &found->second;
}

int Kubelet::Impl::NumberOf(const std::string& node) const {
  return static_cast<int>(std::ranges::find(options.nodes, node) - options.nodes.begin());
}

Kubelet::Kubelet(Client client, Runtime& runtime, KubeletOptions options)
    : impl_(std::make_unique<Impl>(std::move(client), runtime, std::move(options))) {}
Kubelet::~Kubelet() = default;

void Kubelet::Behave(PodBehaviour behaviour) {
  MutexLock lock(impl_->mutex);
  impl_->behaviour = behaviour;
  impl_->choose = nullptr;
  for (auto& [name, record] : impl_->pods) {
    if (record.hanging) {
      record.behaviour.gone_after = behaviour.gone_after;
      impl_->BeginDeletion(name, record);
    } else if (record.node.empty() && record.behaviour.unschedulable) {
      record.behaviour.unschedulable = behaviour.unschedulable;
      if (!behaviour.unschedulable) {
        impl_->Schedule(Duration::zero(), {Task::Kind::kSchedule, name, record.uid});
      }
    }
  }
}

void Kubelet::BehaveBy(std::function<PodBehaviour(const NamespacedName& pod)> choose) {
  MutexLock lock(impl_->mutex);
  impl_->choose = std::move(choose);
}

void Kubelet::Crash(const NamespacedName& pod) {
  MutexLock lock(impl_->mutex);
  const PodRecord* record = impl_->Find(pod);
  if (!record) return;
  impl_->Schedule(Duration::zero(), {Task::Kind::kCrash, pod, record->uid});
}

void Kubelet::SetReady(const NamespacedName& pod, bool ready) {
  MutexLock lock(impl_->mutex);
  PodRecord* record = impl_->Find(pod);
  if (!record || record->ready == ready || !record->started || record->failed) return;
  record->ready = ready;
  record->ready_changed = impl_->Now();
  impl_->Schedule(Duration::zero(), {Task::Kind::kWriteStatus, pod, record->uid});
}

void Kubelet::LoseNode(const std::string& node) {
  MutexLock lock(impl_->mutex);
  if (!impl_->lost.insert(node).second) return;
  impl_->Schedule(Duration::zero(), {Task::Kind::kNodeStatus, {"", node}});
  for (const auto& [name, record] : impl_->pods) {
    if (record.node != node || !record.started || record.failed) continue;
    impl_->Schedule(Duration::zero(), {Task::Kind::kWriteStatus, name, record.uid});
  }
}

void Kubelet::RecoverNode(const std::string& node) {
  MutexLock lock(impl_->mutex);
  if (impl_->lost.erase(node) == 0) return;
  impl_->Schedule(Duration::zero(), {Task::Kind::kNodeStatus, {"", node}});
  for (auto& [name, record] : impl_->pods) {
    if (record.node != node || !record.started) continue;
    // The status of a failed pod is written again, because a restored server may have lost it.
    if (!record.failed) record.ready_changed = impl_->Now();
    impl_->Schedule(Duration::zero(), {Task::Kind::kWriteStatus, name, record.uid});
  }
  for (Task& task : std::exchange(impl_->parked, {})) {
    impl_->Schedule(Duration::zero(), std::move(task));
  }
}

}  // namespace capstan::testing
