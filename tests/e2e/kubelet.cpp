#include "kubelet.h"

#include <iostream>
#include <stdexcept>
#include <utility>

namespace capstan::e2e {
namespace {

using api::core::v1::Node;
using api::core::v1::Pod;

constexpr char kNodeName[] = "e2e-node";
constexpr Duration kRetryPeriod = Milliseconds(100);

}  // namespace

Kubelet::Kubelet(const Client& client) : client_(client.WithStop(stop_.get_token())) {
  Node node;
  node.metadata.name = kNodeName;
  const Status status = client_.Create(node).status();
  if (!status.ok() && !status.IsAlreadyExists()) {
    throw std::runtime_error(status.WithContext("cannot create the node").ToString());
  }
  thread_ = SystemRuntime().Start("e2e-kubelet", [this] { Run(); });
  try {
    watcher_.emplace(client, DescriptorOf<Pod>(), "", [this](const Objects& pods) { Look(pods); });
  } catch (...) {
    stop_.request_stop();
    thread_->Join();
    throw;
  }
}

Kubelet::~Kubelet() {
  watcher_.reset();
  stop_.request_stop();
  thread_->Join();
}

void Kubelet::Behave(const PodBehaviour& behaviour) {
  MutexLock lock(mutex_);
  behaviour_ = behaviour;
}

void Kubelet::Look(const Objects& pods) {
  MutexLock lock(mutex_);
  for (const auto& [name, object] : pods) {
    const Pod& pod = *static_cast<const Pod*>(object.get());
    const Uid& uid = pod.metadata.uid;
    if (!pod.metadata.deletionTimestamp.IsZero()) {
      if (ending_.insert(uid).second) {
        Schedule(behaviour_.gone_after, {name, uid, &Kubelet::FinishDeletion});
      }
    } else if (pod.spec.nodeName.empty() && started_.insert(uid).second) {
      Schedule(Duration(0), {name, uid, &Kubelet::Bind});
      if (behaviour_.ready_after) {
        Schedule(*behaviour_.ready_after, {name, uid, &Kubelet::MakeReady});
      }
    }
  }
}

void Kubelet::Schedule(Duration delay, Task task) {
  tasks_.emplace(SystemRuntime().Now() + delay, std::move(task));
  due_->NotifyAll();
}

void Kubelet::Run() {
  const std::stop_token stop = stop_.get_token();
  const StopWaker waker(stop, mutex_, *due_);
  while (!stop.stop_requested()) {
    std::optional<Task> task;
    {
      MutexLock lock(mutex_);
      if (stop.stop_requested()) return;
      if (tasks_.empty()) {
        due_->Wait(mutex_);
      } else if (tasks_.begin()->first > SystemRuntime().Now()) {
        due_->WaitUntil(mutex_, tasks_.begin()->first);
      } else {
        task = std::move(tasks_.extract(tasks_.begin()).mapped());
      }
    }
    if (!task) continue;
    const Status status = (this->*task->act)(task->pod, task->uid);
    // A pod that is gone, or another of the same name, needs nothing more.
    if (status.ok() || status.IsNotFound() || status.IsConflict()) continue;
    if (!status.IsTransport()) {
      std::cerr << "kubelet: " << task->pod.ToString() << ": " << status.ToString() << "\n";
    }
    MutexLock lock(mutex_);
    Schedule(kRetryPeriod, *std::move(task));
  }
}

Status Kubelet::Bind(const NamespacedName& pod, const Uid& uid) {
  const std::string binding =
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + pod.name + R"(","uid":")" +
      uid.str() + R"("},"target":{"apiVersion":"v1","kind":"Node","name":")" + kNodeName + R"("}})";
  return client_.CreateSubresource(DescriptorOf<Pod>(), pod, "binding", binding).status();
}

Status Kubelet::MakeReady(const NamespacedName& pod, const Uid& uid) {
  const std::string now = api::Time(SystemRuntime().clock().Now()).ToString();
  const std::string patch =
      R"({"metadata":{"uid":")" + uid.str() + R"("},"status":{"phase":"Running","startTime":")" +
      now + R"(","conditions":[{"type":"Ready","status":"True","lastTransitionTime":")" + now +
      R"("}]}})";
  return client_.Patch<Pod>(pod, PatchType::kStrategicMerge, patch, "status").status();
}

Status Kubelet::FinishDeletion(const NamespacedName& pod, const Uid& uid) {
  DeleteOptions options;
  options.uid = uid;
  options.grace_period_seconds = 0;
  return client_.Delete<Pod>(pod, options);
}

}  // namespace capstan::e2e
