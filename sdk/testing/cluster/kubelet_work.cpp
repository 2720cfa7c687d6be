#include <algorithm>
#include <utility>

#include <capstan/api/core_v1.h>
#include <capstan/log/log.h>

#include "cluster/kubelet_impl.h"

namespace capstan::testing {
namespace {

using kubelet::Order;
using kubelet::Pod;
using kubelet::Task;

}  // namespace

void Kubelet::Impl::Work() {
  const std::stop_token token = stop.get_token();
  while (const std::optional<Task> task = AwaitTask(token)) {
    std::optional<Order> order;
    {
      MutexLock lock(mutex);
      order = Prepare(*task);
    }
    if (order) Conclude(*task, *order, Send(*task, *order));
  }
}

std::optional<Task> Kubelet::Impl::AwaitTask(const std::stop_token& token) {
  const StopWaker waker(token, mutex, *due);
  MutexLock lock(mutex);
  while (!token.stop_requested()) {
    if (tasks.empty()) {
      due->Wait(mutex);
    } else if (tasks.begin()->first > runtime.Now()) {
      due->WaitUntil(mutex, tasks.begin()->first);
    } else {
      return std::move(tasks.extract(tasks.begin()).mapped());
    }
  }
  return std::nullopt;
}

std::optional<Order> Kubelet::Impl::Prepare(const Task& task) {
  if (task.kind == Task::Kind::kRegisterNode)
    return Order{task.kind, kubelet::NodeJson(task.name.name), {}};
  if (task.kind == Task::Kind::kNodeStatus) {
    const std::string& node = task.name.name;
    return Order{
        task.kind, kubelet::NodeStatusPatch(node, NumberOf(node), !lost.contains(node), Now()), {}};
  }
  PodRecord* record = Find(task.name);
  if (!record || record->uid != task.uid) return std::nullopt;
  const bool is_lost = lost.contains(record->node);
  if (is_lost && task.kind != Task::Kind::kWriteStatus) {
    parked.push_back(task);
    return std::nullopt;
  }
  switch (task.kind) {
    case Task::Kind::kSchedule:
      return PrepareBinding(task, *record);
    case Task::Kind::kFinishDeletion:
      if (!record->deleting) return std::nullopt;
      return Order{task.kind, {}, {}};
    case Task::Kind::kBecomeReady:
    case Task::Kind::kCrash:
      if (record->failed || !record->started) return std::nullopt;
      if (task.kind == Task::Kind::kCrash) {
        record->failed = true;
        record->failed_time = Now();
      }
      record->ready = task.kind == Task::Kind::kBecomeReady;
      record->ready_changed = Now();
      if (record->ready && record->behaviour.crash_after) {
        Schedule(*record->behaviour.crash_after, {Task::Kind::kCrash, task.name, task.uid});
      }
      break;
    default:
      break;
  }
  if (!record->started) return std::nullopt;
  return StatusOrder(*record);
}

std::optional<Order> Kubelet::Impl::PrepareBinding(const Task& task, PodRecord& record) {
  if (record.deleting && record.node.empty()) return std::nullopt;
  if (!record.node.empty()) return Order{task.kind, {}, record.node};
  if (record.behaviour.unschedulable) {
    record.was_unready = true;
    return Order{Task::Kind::kWriteStatus,
                 kubelet::UnschedulablePatch(record.uid, options.nodes.size(), Now()),
                 {}};
  }
  const std::string* chosen = nullptr;
  for (const std::string& node : options.nodes) {
    if (lost.contains(node)) continue;
    if (!chosen || load[node] < load[*chosen]) chosen = &node;
  }
  if (!chosen) {
    parked.push_back(task);
    return std::nullopt;
  }
  return Order{task.kind, kubelet::Binding(task.name, task.uid, *chosen), *chosen};
}

Order Kubelet::Impl::StatusOrder(PodRecord& record) {
  const bool is_lost = lost.contains(record.node);
  if (is_lost || !record.ready) record.was_unready = true;
  return {Task::Kind::kWriteStatus,
          kubelet::StatusPatch(record, is_lost, NumberOf(record.node), Now()), record.node};
}

Status Kubelet::Impl::Send(const Task& task, const Order& order) const {
  using Node = api::core::v1::Node;
  switch (order.kind) {
    case Task::Kind::kRegisterNode: {
      const Status status = client.Create(DescriptorOf<Node>(), "", order.body).status();
      return status.IsAlreadyExists() ? Status::Ok() : status;
    }
    case Task::Kind::kNodeStatus:
      return client
          .Patch(DescriptorOf<Node>(), task.name, PatchType::kStrategicMerge, order.body, "status")
          .status();
    case Task::Kind::kSchedule:
      if (order.body.empty()) return Status::Ok();
      return client.CreateSubresource(DescriptorOf<Pod>(), task.name, "binding", order.body)
          .status();
    case Task::Kind::kFinishDeletion:
      return client.Delete(DescriptorOf<Pod>(), task.name,
                           {.uid = task.uid, .grace_period_seconds = 0});
    default:
      return client
          .Patch(DescriptorOf<Pod>(), task.name, PatchType::kStrategicMerge, order.body, "status")
          .status();
  }
}

void Kubelet::Impl::Conclude(const Task& task, const Order& order, const Status& status) {
  MutexLock lock(mutex);
  if (status.IsCanceled()) return;
  if (!status.ok() && !(status.IsNotFound() && order.kind != Task::Kind::kNodeStatus)) {
    // A conflict can be caused by another write, or by another pod with this name. The task is
    // retried until the watch reports it.
    if (!status.IsConflict() && !status.IsTransport()) {
      LogWarning("The kubelet's write failed",
                 {{"err", status}, {"object", task.name}, {"node", order.node}});
    }
    Task again = task;
    if (order.kind == Task::Kind::kWriteStatus && task.kind != Task::Kind::kSchedule) {
      again.kind = Task::Kind::kWriteStatus;
    }
    if (order.kind == Task::Kind::kNodeStatus && status.IsNotFound()) {
      again.kind = Task::Kind::kRegisterNode;
    }
    return Schedule(kubelet::kRetryPeriod, std::move(again));
  }
  if (order.kind == Task::Kind::kRegisterNode) {
    return Schedule(Duration::zero(), {Task::Kind::kNodeStatus, task.name});
  }
  if (order.kind != Task::Kind::kSchedule || !status.ok()) return;
  PodRecord* record = Find(task.name);
  if (!record || record->uid != task.uid) return;
  if (record->node.empty()) {
    record->node = order.node;
    ++load[record->node];
  }
  Start(task.name, *record);
}

void Kubelet::Impl::Start(const NamespacedName& name, PodRecord& record) {
  if (record.started) return;
  record.started = true;
  record.start_time = record.ready_changed = Now();
  if (!record.behaviour.rejected.empty()) {
    record.failed = true;
    return Schedule(Duration::zero(), {Task::Kind::kWriteStatus, name, record.uid});
  }
  const auto& ready_after = record.behaviour.ready_after;
  if (ready_after && *ready_after <= Duration::zero()) {
    return Schedule(Duration::zero(), {Task::Kind::kBecomeReady, name, record.uid});
  }
  Schedule(Duration::zero(), {Task::Kind::kWriteStatus, name, record.uid});
  if (ready_after) Schedule(*ready_after, {Task::Kind::kBecomeReady, name, record.uid});
}

}  // namespace capstan::testing
