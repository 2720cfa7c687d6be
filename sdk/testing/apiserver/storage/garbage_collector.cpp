#include "apiserver/storage/garbage_collector.h"

#include <deque>
#include <map>
#include <utility>

#include "apiserver/storage/finalization.h"
#include "apiserver/storage/ownership.h"
#include "apiserver/storage/registry.h"
#include "apiserver/storage/system_fields.h"

namespace capstan::testing::server {
namespace {

// Returns the object without its references to these owners.
json::Value Released(const json::Value& before, const std::set<std::string>& uids) {
  json::Value object = before;
  json::Value& metadata = object.Mutable("metadata");
  json::Value::Items& owners = metadata.Mutable("ownerReferences").MutableItems();
  std::erase_if(owners, [&uids](const json::Value& owner) {
    return uids.contains(owner.Get("uid").AsString());
  });
  if (owners.empty()) metadata.Erase("ownerReferences");
  return object;
}

// Returns the object with references that no longer block its owners.
json::Value Unblocked(const json::Value& before) {
  json::Value object = before;
  for (json::Value& owner : object.Mutable("metadata", "ownerReferences").MutableItems()) {
    if (owner.Get("blockOwnerDeletion").AsBool()) owner.Set("blockOwnerDeletion", false);
  }
  return object;
}

bool BlocksDeletionOf(const json::Value& object, const std::string& owner_uid) {
  for (const json::Value& owner : object.Get("metadata", "ownerReferences").items()) {
    if (owner.Get("uid").AsString() == owner_uid) return owner.Get("blockOwnerDeletion").AsBool();
  }
  return false;
}

bool IsDeletingDependents(const json::Value& object) {
  return IsBeingDeleted(object) && HasFinalizer(object, kForegroundFinalizer);
}

bool IsOrphaningDependents(const json::Value& object) {
  return IsBeingDeleted(object) && HasFinalizer(object, kOrphanFinalizer);
}

}  // namespace

struct GarbageCollector::Impl {
  Impl(Store& store, ResourceCatalog& catalog, Runtime& runtime)
      : registry_(store, catalog, runtime), finalization_(registry_) {
    thread_ = runtime.Start("garbage-collector", [this] { Run(stop_.get_token()); });
  }
  ~Impl() {
    stop_.request_stop();
    thread_->Join();
  }

 private:
  // The uids of an object's owners, by their state.
  struct Owners {
    std::set<std::string> present;
    std::set<std::string> absent;
    std::set<std::string> waiting;  // in foreground deletion
    bool unknown = false;           // an owner has a kind that cannot be looked up
  };

  void Run(const std::stop_token& stop);
  // Processes new changes. Returns false if some are no longer in the history.
  bool Follow(const std::string& storage);
  void Restart();
  void ReadAll(const std::string& storage);
  void Observe(const ObjectId& id, const json::Value& object);
  void Forget(const ObjectId& id);
  void Enqueue(const ObjectId& id);
  void EnqueueWaiting(const std::vector<std::string>& owners);

  void Work(const ObjectId& id);
  void DeleteIfUnowned(const Resource& resource, const ObjectId& id, const json::Value& object);
  void DeleteDependentsFirst(const ObjectId& id);
  void OrphanDependents(const ObjectId& id);
  Owners OwnersOf(const json::Value& object);
  void Rewrite(const ObjectId& id, const Registry::Transform& transform);
  void Delete(const Resource& resource, const ObjectId& id, std::string policy);
  const Resource* ResourceOf(const std::string& storage);
  StoredObjectPtr Find(const ObjectId& id);

  Registry registry_;
  Finalization finalization_;
  Ownership ownership_;
  std::map<std::string, int64_t> seen_;  // by storage
  int64_t epoch_ = 0;
  std::deque<ObjectId> queue_;
  std::set<std::string> queued_;             // uids
  std::map<std::string, ObjectId> waiting_;  // owners in foreground deletion, by uid
  std::map<std::string, const Resource*> resources_;
  int64_t resources_revision_ = -1;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

void GarbageCollector::Impl::Run(const std::stop_token& stop) {
  Store& store = registry_.store();
  while (!stop.stop_requested()) {
    const int64_t version = store.Version();
    if (store.Epoch() != epoch_) Restart();
    bool followed = true;
    for (const std::string& storage : store.Storages()) followed = followed && Follow(storage);
    if (!followed) {
      // The removed objects are unknown, so start again.
      Restart();
      continue;
    }
    bool worked = finalization_.Work();
    while (!queue_.empty() && !stop.stop_requested()) {
      const ObjectId id = std::move(queue_.front());
      queue_.pop_front();
      queued_.erase(id.uid);
      Work(id);
      worked = true;
    }
    if (!worked && !store.AwaitChange(version, stop)) return;
  }
}

// The store was loaded with another state.
void GarbageCollector::Impl::Restart() {
  epoch_ = registry_.store().Epoch();
  seen_.clear();
  ownership_.Clear();
  finalization_.Clear();
  queue_.clear();
  queued_.clear();
  waiting_.clear();
}

bool GarbageCollector::Impl::Follow(const std::string& storage) {
  const auto place = seen_.find(storage);
  if (place == seen_.end()) {
    ReadAll(storage);
    return true;
  }
  const Store& store = registry_.store();
  int64_t upto = 0;
  const Result<std::vector<Change>> changes =
      store.Changes(storage, place->second, MonotonicTime(), stop_.get_token(), upto, epoch_);
  if (!changes.ok()) return false;
  place->second = upto;
  for (const Change& change : *changes) {
    const ObjectId id = IdOf(storage, change.object->value());
    if (change.type == Change::Type::kDeleted) {
      Forget(id);
    } else {
      Observe(id, change.object->value());
    }
  }
  return true;
}

void GarbageCollector::Impl::ReadAll(const std::string& storage) {
  const Snapshot snapshot = registry_.store().List(storage, "");
  seen_[storage] = snapshot.version;
  for (const StoredObjectPtr& object : snapshot.objects) {
    Observe(IdOf(storage, object->value()), object->value());
  }
}

void GarbageCollector::Impl::Observe(const ObjectId& id, const json::Value& object) {
  finalization_.Observe(id, object);
  std::vector<std::string> released;
  const bool reowned = ownership_.Observe(id, object, released);
  EnqueueWaiting(released);
  if (reowned || IsDeletingDependents(object) || IsOrphaningDependents(object)) Enqueue(id);
  if (reowned) {
    // A reference may no longer block its owner.
    for (const json::Value& owner : object.Get("metadata", "ownerReferences").items()) {
      EnqueueWaiting({owner.Get("uid").AsString()});
    }
  }
}

void GarbageCollector::Impl::Forget(const ObjectId& id) {
  finalization_.Forget(id);
  EnqueueWaiting(ownership_.Forget(id.uid));
  waiting_.erase(id.uid);
  for (const ObjectId& dependent : ownership_.DependentsOf(id.uid)) Enqueue(dependent);
}

void GarbageCollector::Impl::Enqueue(const ObjectId& id) {
  if (queued_.insert(id.uid).second) queue_.push_back(id);
}

void GarbageCollector::Impl::EnqueueWaiting(const std::vector<std::string>& owners) {
  for (const std::string& owner : owners) {
    const auto place = waiting_.find(owner);
    if (place != waiting_.end()) Enqueue(place->second);
  }
}

const Resource* GarbageCollector::Impl::ResourceOf(const std::string& storage) {
  const int64_t revision = registry_.catalog().Revision();
  if (revision != resources_revision_) {
    resources_.clear();
    for (const Resource* resource : registry_.catalog().All()) {
      resources_.emplace(resource->storage, resource);
    }
    resources_revision_ = revision;
  }
  const auto place = resources_.find(storage);
  return place == resources_.end() ? nullptr : place->second;
}

StoredObjectPtr GarbageCollector::Impl::Find(const ObjectId& id) {
  StoredObjectPtr object = registry_.store().Get(id.storage, id.name);
  if (!object || object->value().Get("metadata", "uid").AsString() != id.uid) return nullptr;
  return object;
}

void GarbageCollector::Impl::Work(const ObjectId& id) {
  const Resource* resource = ResourceOf(id.storage);
  const StoredObjectPtr present = Find(id);
  if (!resource || !present) return;
  const json::Value& object = present->value();
  if (!IsBeingDeleted(object)) {
    DeleteIfUnowned(*resource, id, object);
    return;
  }
  if (IsOrphaningDependents(object)) OrphanDependents(id);
  if (IsDeletingDependents(object)) DeleteDependentsFirst(id);
}

GarbageCollector::Impl::Owners GarbageCollector::Impl::OwnersOf(const json::Value& object) {
  Owners owners;
  const std::string& place = object.Get("metadata", "namespace").AsString();
  for (const json::Value& reference : object.Get("metadata", "ownerReferences").items()) {
    const std::string& api_version = reference.Get("apiVersion").AsString();
    const std::string& uid = reference.Get("uid").AsString();
    const size_t slash = api_version.find('/');
    const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    const std::string version = api_version.substr(slash == std::string::npos ? 0 : slash + 1);
    const Resource* resource =
        registry_.catalog().FindKind(group, version, reference.Get("kind").AsString());
    // A cluster-scoped object cannot have a namespaced owner.
    if (!resource || (resource->namespaced && place.empty())) {
      owners.unknown = true;
      continue;
    }
    const ObjectId id{resource->storage,
                      {resource->namespaced ? place : "", reference.Get("name").AsString()},
                      uid};
    const StoredObjectPtr owner = Find(id);
    if (!owner) {
      owners.absent.insert(uid);
    } else if (IsDeletingDependents(owner->value())) {
      owners.waiting.insert(uid);
    } else {
      owners.present.insert(uid);
    }
  }
  return owners;
}

void GarbageCollector::Impl::DeleteIfUnowned(const Resource& resource, const ObjectId& id,
                                             const json::Value& object) {
  if (object.Get("metadata", "ownerReferences").items().empty()) return;
  Owners owners = OwnersOf(object);
  if (owners.unknown) return;
  if (!owners.present.empty()) {
    if (owners.absent.empty() && owners.waiting.empty()) return;
    owners.absent.merge(owners.waiting);
    Rewrite(id, [&](const json::Value& before) { return Released(before, owners.absent); });
    return;
  }
  if (!owners.waiting.empty() && ownership_.HasDependents(id.uid)) {
    // Objects in a cycle would wait for each other, so unblock them.
    for (const ObjectId& dependent : ownership_.DependentsOf(id.uid)) {
      const StoredObjectPtr present = Find(dependent);
      if (!present || !IsDeletingDependents(present->value())) continue;
      Rewrite(id, [](const json::Value& before) { return Unblocked(before); });
      break;
    }
    Delete(resource, id, "Foreground");
    return;
  }
  Delete(resource, id,
         HasFinalizer(object, kOrphanFinalizer)       ? "Orphan"
         : HasFinalizer(object, kForegroundFinalizer) ? "Foreground"
                                                      : "Background");
}

void GarbageCollector::Impl::DeleteDependentsFirst(const ObjectId& id) {
  const bool first = waiting_.emplace(id.uid, id).second;
  bool blocked = false;
  for (const ObjectId& dependent : ownership_.DependentsOf(id.uid)) {
    if (first) Enqueue(dependent);
    const StoredObjectPtr present = Find(dependent);
    blocked = blocked || (present && BlocksDeletionOf(present->value(), id.uid));
  }
  if (blocked) return;
  waiting_.erase(id.uid);
  Rewrite(id, [](const json::Value& before) {
    json::Value object = before;
    EraseFinalizer(object, kForegroundFinalizer);
    return object;
  });
}

void GarbageCollector::Impl::OrphanDependents(const ObjectId& id) {
  for (const ObjectId& dependent : ownership_.DependentsOf(id.uid)) {
    Rewrite(dependent, [&id](const json::Value& before) { return Released(before, {id.uid}); });
  }
  Rewrite(id, [](const json::Value& before) {
    json::Value object = before;
    EraseFinalizer(object, kOrphanFinalizer);
    return object;
  });
}

// Objects that are gone need no update.
void GarbageCollector::Impl::Rewrite(const ObjectId& id, const Registry::Transform& transform) {
  const Resource* resource = ResourceOf(id.storage);
  if (!resource) return;
  Preconditions preconditions;
  preconditions.uid = id.uid;
  static_cast<void>(
      registry_.Rewrite(*resource, id.name, preconditions, /*dry_run=*/false, transform));
}

void GarbageCollector::Impl::Delete(const Resource& resource, const ObjectId& id,
                                    std::string policy) {
  DeleteOptions options;
  options.propagation_policy = std::move(policy);
  options.preconditions.uid = id.uid;
  static_cast<void>(registry_.Delete(resource, id.name, options));
}

GarbageCollector::GarbageCollector(Store& store, ResourceCatalog& catalog, Runtime& runtime)
    : impl_(std::make_unique<Impl>(store, catalog, runtime)) {}

GarbageCollector::~GarbageCollector() = default;

}  // namespace capstan::testing::server
