// Confirmation in OwnWrites: handles the recent writes of another manager.

#include <algorithm>
#include <utility>

#include "controller/own_writes.h"
#include "controller/version_number.h"
#include "runtime/not_sent.h"

namespace capstan {

std::vector<ObjectPtr> OwnWrites::ChildrenOf(const Uid& owner, const Source& source) {
  return source.store->ByIndex(kOwnerUidIndex, owner.str());
}

void OwnWrites::LearnLiveVersions() {
  if (!confirming_ || !live_versions_) return;
  std::vector<SharedInformer*> informers;
  {
    MutexLock lock(mutex_);
    for (const Source& source : sources_) informers.push_back(&source.informer);
  }
  for (SharedInformer* informer : informers) live_versions_->Learn(*informer);
}

bool OwnWrites::IsCurrent(Source& source) {
  if (source.current_since > 0) return true;
  if (!live_versions_) return false;
  const std::optional<uint64_t> needed = live_versions_->Needed(source.informer);
  if (!needed || source.applied < *needed) return false;
  source.current_since = ++ticks_;
  return true;
}

void OwnWrites::Begin(const Uid& owner, const NamespacedName& request) {
  if (!confirming_) return;
  MutexLock lock(mutex_);
  Syncing& syncing = syncing_[owner];
  if (syncing.count++ > 0) return;
  const bool is_confirmed = confirmed_owners_.contains(owner);
  for (Source& source : sources_) {
    if (IsCurrent(source)) continue;
    if (source.reconciled && !is_confirmed) {
      const ObjectPtr shown = source.store->Get(request);
      if (shown && source.MetadataOf(shown).uid == owner) {
        syncing.primary = &source;
        syncing.shown = shown;
      }
    }
    const auto found = source.confirmations.find(request.namespace_);
    if (found != source.confirmations.end() && found->second.at > 0) continue;
    Syncing::Seen& seen = syncing.seen[&source];
    seen.applied = source.applied;
    seen.children = ChildrenOf(owner, source);
  }
  syncing.begun = ++ticks_;
}

void OwnWrites::End(const Uid& owner) {
  if (!confirming_) return;
  MutexLock lock(mutex_);
  const auto found = syncing_.find(owner);
  if (--found->second.count == 0) syncing_.erase(found);
}

bool OwnWrites::HeldBack(const Uid& owner) const {
  if (!confirming_) return false;
  MutexLock lock(mutex_);
  return syncing_.at(owner).held_back;
}

Status OwnWrites::MayWrite(const TypeDescriptor& type, const NamespacedName& name,
                           const ObjectPtr& sent) {
  if (!confirming_) return Status::Ok();
  std::vector<std::pair<Source*, Owners>> concerned;
  {
    MutexLock lock(mutex_);
    for (Source& source : sources_) {
      if (&source.informer.type() != &type) continue;
      const ObjectPtr object = sent ? sent : source.store->Get(name);
      if (!object || !source.Covers(type, source.MetadataOf(object))) continue;
      concerned.emplace_back(&source, OwnersOf(source, object));
    }
  }
  std::erase_if(concerned, [](const auto& entry) { return entry.second.empty(); });
  for (const auto& [source, owners] : concerned) {
    Status confirmed = Confirm(*source, name.namespace_);
    for (auto owner = owners.begin(); confirmed.ok() && owner != owners.end(); ++owner) {
      confirmed = ConfirmOwner(*owner);
    }
    if (!confirmed.ok())
      return confirmed.WithContext("reading the live objects before the first write");
  }
  MutexLock lock(mutex_);
  for (const auto& [source, owners] : concerned) {
    for (const Uid& owner : owners) {
      if (IsConfirmed(*source, owner, name.namespace_)) continue;
      return NotSent("the cache does not yet show the live objects");
    }
  }
  return Status::Ok();
}

// The object is not read: a patch has its resourceVersion or a test. But the owner may want a
// different patch by now.
Status OwnWrites::MayPatch(const TypeDescriptor& type, const NamespacedName& name) {
  if (!confirming_) return Status::Ok();
  Owners owners;
  {
    MutexLock lock(mutex_);
    for (const Source& source : sources_) {
      if (&source.informer.type() != &type) continue;
      const ObjectPtr object = source.store->Get(name);
      if (!object) continue;
      for (const Uid& owner : OwnersOf(source, object)) {
        if (owner != source.MetadataOf(object).uid) owners.push_back(owner);
      }
    }
  }
  for (const Uid& owner : owners) {
    Status confirmed = ConfirmOwner(owner);
    if (!confirmed.ok())
      return confirmed.WithContext("reading the live owner before the first patch");
    MutexLock lock(mutex_);
    const auto found = syncing_.find(owner);
    if (found != syncing_.end() && found->second.held_back) {
      return NotSent("the cache does not yet show the live objects");
    }
  }
  return Status::Ok();
}

// A caller that arrives during a live read waits for it and shares its outcome.
Status OwnWrites::Confirm(Source& source, const std::string& namespace_) {
  std::shared_ptr<Reading> reading;
  {
    MutexLock lock(mutex_);
    if (IsCurrent(source)) return Status::Ok();
    Confirmation& confirmation = source.confirmations[namespace_];
    if (confirmation.at > 0) return Status::Ok();
    if ((reading = confirmation.under_way)) {
      while (!reading->outcome) reading->ended->Wait(mutex_);
      return *reading->outcome;
    }
    reading = confirmation.under_way = std::make_shared<Reading>(*confirming_);
  }
  uint64_t newest_orphan = 0;
  Status outcome = CompareWithLive(source, namespace_, newest_orphan);
  MutexLock lock(mutex_);
  Confirmation& confirmation = source.confirmations[namespace_];
  confirmation.under_way.reset();
  if (outcome.ok()) {
    confirmation.at = ++ticks_;
    confirmation.newest_orphan = newest_orphan;
  }
  reading->outcome = outcome;
  reading->ended->NotifyAll();
  return outcome;
}

Status OwnWrites::ConfirmOwner(const Uid& owner) {
  Source* primary = nullptr;
  ObjectPtr shown;
  {
    MutexLock lock(mutex_);
    const auto found = syncing_.find(owner);
    if (found == syncing_.end() || !found->second.primary) return Status::Ok();
    primary = found->second.primary;
    shown = found->second.shown;
    if (IsCurrent(*primary)) {
      // By now the store shows at least what a live read would.
      if (primary->store->Get(api::NameOf(primary->MetadataOf(shown))) != shown) {
        found->second.held_back = true;
      }
      return Status::Ok();
    }
  }
  const api::ObjectMeta& metadata = primary->MetadataOf(shown);
  const NamespacedName name = api::NameOf(metadata);
  const Result<ObjectPtr> live = client_.Get(primary->informer.type(), name);
  if (!live && !live.status().IsNotFound()) return live.status();
  const bool is_there = live && primary->MetadataOf(*live).uid == owner;
  if (is_there) {
    const auto live_version = VersionNumber(primary->MetadataOf(*live).resourceVersion);
    const auto shown_version = VersionNumber(metadata.resourceVersion);
    // No event will come that the owner could wait for, but a new list.
    if (live_version && shown_version && *live_version < *shown_version) {
      return {StatusReason::kServiceUnavailable, "the server has been restored to an older state"};
    }
  }
  if (is_there) FoundLive(owner, *primary, *live);
  Waiters none;  // the caller is the one that waits
  MutexLock lock(mutex_);
  if (const ObjectPtr gone = is_there ? nullptr : primary->Living(name);
      gone && primary->MetadataOf(gone).uid == owner) {
    AddTombstone(*primary, gone, none);
  }
  // From now on, reconciles of the owner wait until the cache shows at least this state.
  confirmed_owners_.insert(owner);
  const auto found = syncing_.find(owner);
  if (found == syncing_.end()) return Status::Ok();
  found->second.primary = nullptr;
  if (!is_there || primary->MetadataOf(*live).resourceVersion != metadata.resourceVersion) {
    found->second.held_back = true;
  }
  return Status::Ok();
}

Status OwnWrites::CompareWithLive(Source& source, const std::string& namespace_,
                                  uint64_t& newest_orphan) {
  const Result<Live> live = ReadLive(source, namespace_, [&](const ObjectPtr& object) {
    MutexLock lock(mutex_);
    return CompareWithLive(source, object, newest_orphan);
  });
  if (!live) return live.status();
  Waiters woken;
  {
    MutexLock lock(mutex_);
    std::vector<ObjectPtr> stored = source.store->ListNamespace(namespace_);
    std::erase_if(stored, [&](const ObjectPtr& object) CAPSTAN_REQUIRES(mutex_) {
      return OwnersOf(source, object).empty();
    });
    AddTombstonesForMissing(source, stored, namespace_, *live, woken);
  }
  for (const Waiter& waiter : woken) waiter.queue->Add(waiter.request);
  return Status::Ok();
}

bool OwnWrites::CompareWithLive(Source& source, const ObjectPtr& live, uint64_t& newest_orphan) {
  const api::ObjectMeta& metadata = source.MetadataOf(live);
  if (!source.Covers(source.informer.type(), metadata)) return false;
  const std::optional<uint64_t> version = VersionNumber(metadata.resourceVersion);
  if (version && !api::ControllerOf(metadata) && !metadata.deletionTimestamp) {
    newest_orphan = std::max(newest_orphan, *version);
  }
  Owners owners = OwnersOf(source, live);
  if (const ObjectPtr stored = source.store->Get(api::NameOf(metadata))) {
    if (source.MetadataOf(stored).resourceVersion == metadata.resourceVersion) return true;
    for (const Uid& owner : OwnersOf(source, stored)) {
      if (std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
    }
  }
  Mark(source, live, owners);
  return true;
}

bool OwnWrites::IsConfirmed(Source& source, const Uid& owner, const std::string& namespace_) {
  // A write outside of a reconcile is not based on what a reconcile saw in the cache.
  const auto found = syncing_.find(owner);
  if (found == syncing_.end()) return true;
  Syncing& syncing = found->second;
  if (syncing.held_back) return false;
  if (IsCurrent(source) && syncing.begun > source.current_since) return true;
  const Confirmation& confirmation = source.confirmations[namespace_];
  // The store shows the live objects by now, but perhaps not what the reconcile has seen.
  if (confirmation.at == 0) {
    syncing.held_back = true;
    return false;
  }
  if (syncing.begun > confirmation.at) return true;
  Syncing::Seen& seen = syncing.seen[&source];
  if (std::ranges::find(seen.confirmed, namespace_) != seen.confirmed.end()) return true;

  const auto waiting = owners_.find(owner);
  const bool waits =
      waiting != owners_.end() && (waiting->second.pending > 0 || !waiting->second.lost.empty());
  syncing.held_back = waits || confirmation.newest_orphan > seen.applied ||
                      !std::ranges::is_permutation(ChildrenOf(owner, source), seen.children);
  if (!syncing.held_back) seen.confirmed.push_back(namespace_);
  return !syncing.held_back;
}

void OwnWrites::AwaitOrphans(const Uid& owner, const std::string& namespace_) {
  for (Source& source : sources_) {
    const auto found = source.confirmations.find(namespace_);
    if (found == source.confirmations.end()) continue;
    const uint64_t newest = found->second.newest_orphan;
    if (newest <= source.applied) continue;
    if (const auto known = owners_.find(owner); known != owners_.end() && known->second.pending > 0)
      return;
    source.marks.emplace(newest, owner);
    ++owners_[owner].pending;
  }
}

}  // namespace capstan
