#include "demo/view.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <capstan/runtime/runtime.h>

namespace capstan::demo {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::coordination::v1::Lease;
using api::core::v1::Pod;

std::string RevisionOf(const ReplicaSet& replica_set) {
  return std::string(replica_set.metadata.annotations.Get("deployment.kubernetes.io/revision"));
}

int64_t NumberOf(const std::string& revision) {
  int64_t number = 0;
  std::from_chars(revision.data(), revision.data() + revision.size(), number);
  return number;
}

bool IsReady(const Pod& pod) {
  return std::any_of(pod.status.conditions.begin(), pod.status.conditions.end(),
                     [](const auto& condition) {
                       return condition.type == "Ready" && condition.status == "True";
                     });
}

bool IsComplete(const Deployment& deployment) {
  const int64_t replicas = deployment.spec.replicas.value_or(1);
  const auto& status = deployment.status;
  return status.observedGeneration >= deployment.metadata.generation &&
         status.updatedReplicas == replicas && status.replicas == replicas &&
         status.availableReplicas == replicas;
}

}  // namespace

View::View(const Client& client, NamespacedName deployment, NamespacedName lease)
    : deployment_name_(std::move(deployment)),
      lease_name_(std::move(lease)),
      informers_(client, SystemRuntime(), Duration::zero()),
      deployments_(informers_.ListerFor<Deployment>()),
      replica_sets_(informers_.ListerFor<ReplicaSet>()),
      pods_(informers_.ListerFor<Pod>()),
      leases_(informers_.ListerFor<Lease>()),
      changed_(SystemRuntime().NewCondition()) {}

View::~View() { informers_.Stop(); }

Status View::Start(const std::stop_token& stop) {
  EventHandler notice{.on_add = [this](const ObjectPtr&, bool) { Notice(); },
                      .on_update = [this](const ObjectPtr&, const ObjectPtr&) { Notice(); },
                      .on_delete = [this](const ObjectPtr&, bool) { Notice(); }};
  registrations_ = {informers_.InformerFor<Deployment>().AddEventHandler(notice),
                    informers_.InformerFor<ReplicaSet>().AddEventHandler(notice),
                    informers_.InformerFor<Lease>().AddEventHandler(notice)};
  notice.on_add = [this](const ObjectPtr& pod, bool) {
    {
      MutexLock lock(mutex_);
      pods_seen_.insert(static_cast<const Pod*>(pod.get())->metadata.uid);
    }
    Notice();
  };
  registrations_.push_back(informers_.InformerFor<Pod>().AddEventHandler(notice));
  informers_.Start();
  return informers_.WaitForCacheSync(stop) ? Status::Ok() : Status::Canceled();
}

Scene View::Now() const {
  Scene scene;
  {
    MutexLock lock(mutex_);
    scene.pods_created = pods_seen_.size();
  }
  if (const auto lease = leases_.Get(lease_name_)) {
    scene.holder = lease->spec.holderIdentity.value_or("");
  }
  const auto deployment = deployments_.Get(deployment_name_);
  if (!deployment) return scene;
  scene.replicas = deployment->spec.replicas.value_or(1);
  scene.complete = IsComplete(*deployment);
  const auto pods = pods_.ListNamespace(deployment_name_.namespace_);
  for (const auto& replica_set : replica_sets_.ListNamespace(deployment_name_.namespace_)) {
    if (!api::IsControlledBy(replica_set->metadata, deployment->metadata.uid)) continue;
    ReplicaSetRow row{
        .name = replica_set->metadata.name,
        .revision = RevisionOf(*replica_set),
        .image = replica_set->spec.template_.StringAt("/spec/containers/0/image").value_or(""),
        .wanted = replica_set->spec.replicas.value_or(1)};
    for (const auto& pod : pods) {
      if (!api::IsControlledBy(pod->metadata, replica_set->metadata.uid)) continue;
      ++row.pods;
      if (pod->metadata.deletionTimestamp.IsZero() && IsReady(*pod)) ++row.ready;
    }
    scene.rows.push_back(std::move(row));
  }
  std::sort(scene.rows.begin(), scene.rows.end(), [](const auto& a, const auto& b) {
    return NumberOf(a.revision) < NumberOf(b.revision);
  });
  return scene;
}

void View::Notice() {
  MutexLock lock(mutex_);
  news_ = true;
  changed_->NotifyAll();
}

void View::AwaitChange(Duration limit, const std::stop_token& stop) {
  const MonotonicTime deadline = SystemRuntime().Now() + limit;
  const StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (!news_ && !stop.stop_requested()) {
    if (!changed_->WaitUntil(mutex_, deadline)) break;
  }
  news_ = false;
}

}  // namespace capstan::demo
