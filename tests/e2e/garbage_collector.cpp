#include "garbage_collector.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>

namespace capstan::e2e {
namespace {

constexpr Duration kRetryPeriod = std::chrono::seconds(1);

const api::ObjectMeta& Metadata(const TypeDescriptor& type, const ObjectPtr& object) {
  return MetadataOf(type, object.get());
}

bool HasFinalizer(const api::ObjectMeta& metadata, std::string_view finalizer) {
  return std::any_of(metadata.finalizers.begin(), metadata.finalizers.end(),
                     [&](const InternedString& each) { return each.view() == finalizer; });
}

// All finalizers except one, as JSON.
std::string FinalizersWithout(const api::ObjectMeta& metadata, std::string_view finalizer) {
  std::string list;
  for (const InternedString& each : metadata.finalizers) {
    if (each.view() != finalizer) list += (list.empty() ? "\"" : ",\"") + each.str() + "\"";
  }
  return R"({"metadata":{"finalizers":[)" + list + R"(],"resourceVersion":")" +
         metadata.resourceVersion + R"("}})";
}

bool IsOwnedBy(const api::ObjectMeta& metadata, const Uid& owner) {
  return std::any_of(metadata.ownerReferences.begin(), metadata.ownerReferences.end(),
                     [&](const api::OwnerReference& reference) { return reference.uid == owner; });
}

}  // namespace

GarbageCollector::GarbageCollector(const Client& client, std::string namespace_name)
    : namespace_(std::move(namespace_name)), client_(client.WithStop(stop_.get_token())) {
  Watch(DescriptorOf<api::apps::v1::Deployment>());
  Watch(DescriptorOf<api::apps::v1::ReplicaSet>());
  Watch(DescriptorOf<api::core::v1::Pod>());
  thread_ = SystemRuntime().Start("collector", [this] { Run(); });
}

GarbageCollector::~GarbageCollector() {
  watchers_.clear();
  stop_.request_stop();
  thread_->Join();
}

void GarbageCollector::Watch(const TypeDescriptor& type) {
  watchers_.push_back(std::make_unique<scenarios::Watcher>(
      client_, SystemRuntime(), type, namespace_, [this, &type](const scenarios::Objects& objects) {
        MutexLock lock(mutex_);
        objects_[&type] = objects;
        has_changed_ = true;
        changed_->NotifyAll();
      }));
}

void GarbageCollector::Run() {
  const std::stop_token stop = stop_.get_token();
  const StopWaker waker(stop, mutex_, *changed_);
  while (!stop.stop_requested()) {
    Items items;
    {
      MutexLock lock(mutex_);
      // Also runs after a while, for writes that failed or changes that were seen too early.
      if (!has_changed_) changed_->WaitUntil(mutex_, SystemRuntime().Now() + kRetryPeriod);
      has_changed_ = false;
      for (const auto& [type, objects] : objects_) {
        for (const auto& [name, object] : objects) {
          items[Metadata(*type, object).uid] = {type, name, object};
        }
      }
    }
    Collect(items);
  }
}

void GarbageCollector::Collect(const Items& items) const {
  for (const auto& [uid, item] : items) {
    const api::ObjectMeta& metadata = Metadata(*item.type, item.object);
    if (metadata.deletionTimestamp.IsZero()) {
      CollectDependent(items, item);
    } else {
      FinishDeletion(items, item);
    }
  }
}

void GarbageCollector::CollectDependent(const Items& items, const Item& item) const {
  const api::ObjectMeta& metadata = Metadata(*item.type, item.object);
  for (const api::OwnerReference& reference : metadata.ownerReferences) {
    const auto owner = items.find(reference.uid);
    PropagationPolicy propagation = PropagationPolicy::kBackground;
    if (owner == items.end()) {
      // The owner may be too new for its watch, so ask the server.
      const TypeDescriptor& type = reference.kind == "Deployment"
                                       ? DescriptorOf<api::apps::v1::Deployment>()
                                       : DescriptorOf<api::apps::v1::ReplicaSet>();
      const auto found = client_.Get(type, {namespace_, reference.name.str()});
      if (found ? Metadata(type, *found).uid == reference.uid : !found.status().IsNotFound()) {
        continue;
      }
    } else {
      const api::ObjectMeta& owning = Metadata(*owner->second.type, owner->second.object);
      if (owning.deletionTimestamp.IsZero() || !HasFinalizer(owning, "foregroundDeletion")) {
        continue;
      }
      propagation = PropagationPolicy::kForeground;
    }
    (void)client_.Delete(*item.type, item.name, {.uid = metadata.uid, .propagation = propagation});
    return;
  }
}

void GarbageCollector::FinishDeletion(const Items& items, const Item& item) const {
  const api::ObjectMeta& metadata = Metadata(*item.type, item.object);
  const bool orphans = HasFinalizer(metadata, "orphan");
  if (!orphans && !HasFinalizer(metadata, "foregroundDeletion")) return;
  bool has_dependents = false;
  for (const auto& [uid, dependent] : items) {
    const api::ObjectMeta& owned = Metadata(*dependent.type, dependent.object);
    if (!IsOwnedBy(owned, metadata.uid)) continue;
    has_dependents = true;
    if (orphans) {
      Patch(dependent, R"({"metadata":{"ownerReferences":null,"resourceVersion":")" +
                           owned.resourceVersion + R"("}})");
    }
  }
  if (!has_dependents) {
    Patch(item, FinalizersWithout(metadata, orphans ? "orphan" : "foregroundDeletion"));
  }
}

// A failed patch is retried at the next change, or after the retry period.
void GarbageCollector::Patch(const Item& item, const std::string& merge_patch) const {
  (void)client_.Patch(*item.type, item.name, PatchType::kMerge, merge_patch);
}

}  // namespace capstan::e2e
