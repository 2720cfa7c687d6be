#include <capstan/cache/pending_statuses.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include <capstan/runtime/mutex.h>

namespace capstan {

struct PendingStatusStore::Impl {
  struct Pending {
    uint64_t publisher = 0;
    ObjectPtr object;
  };

  Impl(const Indexer& i, std::function<void()> a) : indexer(i), announce(std::move(a)) {}

  const api::ObjectMeta& MetadataOf(const ObjectPtr& object) const {
    return capstan::MetadataOf(indexer.type(), object.get());
  }
  // The object with this UID as the cache shows it, or null.
  ObjectPtr StoredOf(const api::ObjectMeta& metadata) const {
    ObjectPtr stored = indexer.Get(metadata.namespace_.view(), metadata.name);
    return stored && MetadataOf(stored).uid == metadata.uid ? stored : nullptr;
  }

  const Indexer& indexer;
  const std::function<void()> announce;

  mutable Mutex mutex;
  uint64_t publishers CAPSTAN_GUARDED_BY(mutex) = 0;
  std::unordered_map<Uid, Pending> pending CAPSTAN_GUARDED_BY(mutex);
  std::map<Uid, Announcement> announcements CAPSTAN_GUARDED_BY(mutex);
};

PendingStatusStore::PendingStatusStore(const Indexer& indexer, std::function<void()> announce)
    : impl_(std::make_unique<Impl>(indexer, std::move(announce))) {}
PendingStatusStore::~PendingStatusStore() = default;

uint64_t PendingStatusStore::NewPublisher() {
  MutexLock lock(impl_->mutex);
  return ++impl_->publishers;
}

ObjectPtr PendingStatusStore::Find(const Uid& uid) const {
  MutexLock lock(impl_->mutex);
  const auto found = impl_->pending.find(uid);
  return found == impl_->pending.end() ? nullptr : found->second.object;
}

void PendingStatusStore::Put(uint64_t publisher, const ObjectPtr& before, ObjectPtr after,
                             Duration wake_after) {
  const api::ObjectMeta& metadata = impl_->MetadataOf(before);
  const Uid uid = metadata.uid;
  {
    MutexLock lock(impl_->mutex);
    const bool is_known = impl_->pending.contains(uid);
    if (!is_known && impl_->pending.size() >= kMostPendingStatuses) return;
    impl_->pending[uid] = {publisher, after};
    const auto announced = impl_->announcements.find(uid);
    if (announced != impl_->announcements.end()) {
      wake_after = std::min(wake_after, announced->second.wake_after);
    }
    impl_->announcements.insert_or_assign(uid, Announcement{before, std::move(after), wake_after});
  }
  // The informer calls Forget after it has removed an object from the store. A deletion before this
  // check is found here, and a later one is followed by Forget.
  if (!impl_->StoredOf(metadata)) return Forget(uid);
  impl_->announce();
}

// Others may have read the pending status, also if its announcement still waits.
void PendingStatusStore::Remove(uint64_t publisher, const ObjectPtr& object, bool announces) {
  const api::ObjectMeta& metadata = impl_->MetadataOf(object);
  const Uid& uid = metadata.uid;
  {
    MutexLock lock(impl_->mutex);
    const auto found = impl_->pending.find(uid);
    if (found == impl_->pending.end() || found->second.publisher != publisher) return;
    const ObjectPtr pending = std::move(found->second.object);
    impl_->pending.erase(found);
    impl_->announcements.erase(uid);
    if (!announces) return;
    impl_->announcements.insert_or_assign(uid, Announcement{pending, object, Duration()});
  }
  if (!impl_->StoredOf(metadata)) return Forget(uid);
  impl_->announce();
}

void PendingStatusStore::RemoveAll(uint64_t publisher) {
  std::vector<ObjectPtr> removed;
  {
    MutexLock lock(impl_->mutex);
    for (const auto& [uid, pending] : impl_->pending) {
      if (pending.publisher == publisher) removed.push_back(pending.object);
    }
  }
  for (const ObjectPtr& pending : removed) {
    const ObjectPtr stored = impl_->StoredOf(impl_->MetadataOf(pending));
    Remove(publisher, stored ? stored : pending, stored != nullptr);
  }
}

void PendingStatusStore::Forget(const Uid& uid) {
  MutexLock lock(impl_->mutex);
  impl_->pending.erase(uid);
  impl_->announcements.erase(uid);
}

std::vector<PendingStatusStore::Announcement> PendingStatusStore::TakeAnnouncements() {
  std::vector<Announcement> taken;
  MutexLock lock(impl_->mutex);
  taken.reserve(impl_->announcements.size());
  for (auto& [uid, announcement] : impl_->announcements) taken.push_back(std::move(announcement));
  impl_->announcements.clear();
  return taken;
}

size_t PendingStatusStore::size() const {
  MutexLock lock(impl_->mutex);
  return impl_->pending.size();
}

}  // namespace capstan
