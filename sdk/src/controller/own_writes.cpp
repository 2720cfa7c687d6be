#include "controller/own_writes.h"

#include <algorithm>
#include <string_view>

#include "controller/version_number.h"

namespace capstan {
namespace {

constexpr int64_t kPage = 500;

template <class T>
void AddOnce(std::vector<T>& to, T value) {
  if (std::ranges::find(to, value) == to.end()) to.push_back(std::move(value));
}

}  // namespace

bool OwnWrites::Source::Covers(const TypeDescriptor& type, const api::ObjectMeta& metadata) const {
  const InformerScope& scope = informer.scope();
  return &informer.type() == &type &&
         (scope.namespace_.empty() || metadata.namespace_.view() == scope.namespace_) &&
         (!labels || labels->Matches(metadata.labels));
}

ObjectPtr OwnWrites::Source::Living(const NamespacedName& name) const {
  ObjectPtr object = store->Get(name);
  return object && !MetadataOf(object).deletionTimestamp ? object : nullptr;
}

// An informer with a field selector is not tracked, because its selection cannot be evaluated here.
void OwnWrites::Follow(SharedInformer& informer, bool reconciled) {
  std::optional<Selector> labels;
  if (const std::string& text = informer.scope().label_selector; !text.empty()) {
    Result<Selector> selector = Selector::Parse(text);
    if (!selector) return;
    labels = std::move(*selector);
  }
  if (!informer.scope().field_selector.empty()) return;
  Source* followed = nullptr;
  {
    MutexLock lock(mutex_);
    if (reconciled) AddOnce(reconciled_kinds_, std::string_view(informer.type().resource->kind));
    for (Source& source : sources_) {
      if (&source.informer != &informer) continue;
      source.reconciled |= reconciled;
      return;
    }
    followed = &sources_.emplace_back(informer);
    followed->reconciled = reconciled;
    followed->labels = std::move(labels);
  }
  EventHandler handler;
  handler.on_add = [this, followed](const ObjectPtr& object, bool) {
    Changed(*followed, nullptr, object);
  };
  handler.on_update = [this, followed](const ObjectPtr& before, const ObjectPtr& after) {
    Changed(*followed, before, after);
  };
  handler.on_delete = [this, followed](const ObjectPtr& object, bool) {
    Changed(*followed, object, nullptr);
  };
  handler.on_progress = [this, followed](const std::string& resource_version, bool listed) {
    Progress(*followed, resource_version, listed);
  };
  auto registration = informer.AddEventHandler(std::move(handler));
  MutexLock lock(mutex_);
  followed->registration = std::move(registration);
}

Result<bool> OwnWrites::CaughtUp(const Uid& owner, const NamespacedName& request,
                                 const std::shared_ptr<WorkQueue>& queue) {
  std::vector<LostWrite> lost;
  {
    MutexLock lock(mutex_);
    const auto found = owners_.find(owner);
    if (found == owners_.end() && !confirming_) return true;
    if (found != owners_.end()) lost.swap(found->second.lost);
  }
  Status failure;
  while (failure.ok() && !lost.empty()) {
    failure = Resolve(owner, lost.back());
    if (failure.ok()) lost.pop_back();
  }
  MutexLock lock(mutex_);
  if (confirming_) AwaitOrphans(owner, request.namespace_);
  for (const LostWrite& write : lost) AddOnce(owners_[owner].lost, write);
  if (!failure.ok()) return failure.WithContext("reading the result of a lost write");
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return true;
  if (found->second.pending == 0 && found->second.lost.empty()) {
    owners_.erase(found);
    return true;
  }
  AddOnce(found->second.waiters, Waiter{queue, request});
  return false;
}

void OwnWrites::Written(const TypeDescriptor& type, const ObjectPtr& object) {
  MutexLock lock(mutex_);
  for (Source& source : sources_) {
    if (!source.Covers(type, capstan::MetadataOf(type, object.get()))) continue;
    Owners owners = OwnersOf(source, object);
    const api::ObjectMeta& metadata = source.MetadataOf(object);
    if (const ObjectPtr before = source.store->Get(api::NameOf(metadata))) {
      const Owners shown = OwnersOf(source, before);
      if (shown != owners) source.adopted[metadata.uid] = owners;
      for (const Uid& owner : shown) AddOnce(owners, owner);
    }
    Mark(source, object, owners);
  }
}

void OwnWrites::Lost(const TypeDescriptor& type, const NamespacedName& name,
                     const ObjectPtr& sent) {
  MutexLock lock(mutex_);
  for (Source& source : sources_) {
    if (&source.informer.type() != &type) continue;
    const ObjectPtr object = sent ? sent : source.store->Get(name);
    if (object && source.Covers(type, source.MetadataOf(object))) {
      NoteLost(source, name, OwnersOf(source, object));
    }
  }
}

// Recorded before the request is sent, because the event may arrive before the response.
void OwnWrites::Deleting(const TypeDescriptor& type, const NamespacedName& name) {
  Waiters none;
  MutexLock lock(mutex_);
  for (Source& source : sources_) {
    if (&source.informer.type() != &type) continue;
    if (const ObjectPtr object = source.Living(name)) AddTombstone(source, object, none);
  }
}

void OwnWrites::Deleted(const TypeDescriptor& type, const NamespacedName& name,
                        const Status& outcome) {
  if (outcome.ok() || outcome.IsNotFound()) return;
  Waiters woken;
  {
    MutexLock lock(mutex_);
    for (Source& source : sources_) {
      if (&source.informer.type() != &type) continue;
      const auto found = std::ranges::find_if(source.tombstones,
                                              [&](const auto& t) { return t.second.name == name; });
      if (found == source.tombstones.end()) continue;
      // A conflict may be about the UID, whose object is gone then, or about the resourceVersion.
      if (outcome.IsAmbiguous() || outcome.IsConflict()) {
        NoteLost(source, name, found->second.owners);
      } else {
        SettleTombstone(source, found->first, woken);
      }
    }
  }
  for (const Waiter& waiter : woken) waiter.queue->Add(waiter.request);
}

OwnWrites::Owners OwnWrites::OwnersOf(const Source& source, const ObjectPtr& object) const {
  const api::ObjectMeta& metadata = source.MetadataOf(object);
  Owners owners;
  if (source.reconciled && !metadata.uid.empty()) owners.push_back(metadata.uid);
  const api::OwnerReference* controller = api::ControllerOf(metadata);
  if (controller &&
      std::ranges::find(reconciled_kinds_, controller->kind.view()) != reconciled_kinds_.end()) {
    owners.push_back(controller->uid);
  }
  return owners;
}

void OwnWrites::Mark(Source& source, const ObjectPtr& object, const Owners& owners) {
  const api::ObjectMeta& metadata = source.MetadataOf(object);
  const std::optional<uint64_t> version = VersionNumber(metadata.resourceVersion);
  if (!version) {
    const ObjectPtr stored = source.store->Get(api::NameOf(metadata));
    if (stored && source.MetadataOf(stored).resourceVersion == metadata.resourceVersion) return;
    NoteLost(source, api::NameOf(metadata), owners);
  } else if (*version > source.applied) {
    for (const Uid& owner : owners) {
      source.marks.emplace(*version, owner);
      ++owners_[owner].pending;
    }
  }
}

void OwnWrites::AddTombstone(Source& source, const ObjectPtr& object, Waiters& woken) {
  const api::ObjectMeta& metadata = source.MetadataOf(object);
  const NamespacedName name = api::NameOf(metadata);
  const auto [tombstone, is_new] =
      source.tombstones.try_emplace(metadata.uid, Tombstone{name, OwnersOf(source, object)});
  if (!is_new) return;
  if (const auto found = source.adopted.find(metadata.uid); found != source.adopted.end()) {
    for (const Uid& owner : found->second) AddOnce(tombstone->second.owners, owner);
  }
  for (const Uid& owner : tombstone->second.owners) ++owners_[owner].pending;
  // No handler is called for a change that the store already shows.
  const ObjectPtr living = source.Living(name);
  if (!living || source.MetadataOf(living).uid != metadata.uid) {
    SettleTombstone(source, metadata.uid, woken);
  }
}

void OwnWrites::NoteLost(Source& source, const NamespacedName& name, const Owners& owners) {
  for (const Uid& owner : owners) AddOnce(owners_[owner].lost, LostWrite{&source, name});
}

void OwnWrites::TakeWaiters(Owner& owner, Waiters& woken) {
  std::ranges::move(owner.waiters, std::back_inserter(woken));
  owner.waiters.clear();
}

void OwnWrites::Settle(const Uid& owner, Waiters& woken) {
  const auto found = owners_.find(owner);
  if (found == owners_.end() || --found->second.pending > 0) return;
  TakeWaiters(found->second, woken);
  if (found->second.lost.empty()) owners_.erase(found);
}

void OwnWrites::SettleTombstone(Source& source, const Uid& object, Waiters& woken) {
  const auto found = source.tombstones.find(object);
  if (found == source.tombstones.end()) return;
  for (const Uid& owner : found->second.owners) Settle(owner, woken);
  source.tombstones.erase(found);
}

Status OwnWrites::Resolve(const Uid& owner, const LostWrite& lost) {
  return lost.name.name.empty() ? ResolveNamespace(owner, *lost.source, lost.name.namespace_)
                                : ResolveObject(owner, *lost.source, lost.name);
}

Status OwnWrites::ResolveObject(const Uid& owner, Source& source, const NamespacedName& name) {
  const Result<ObjectPtr> live = client_.Get(source.informer.type(), name);
  if (live) {
    FoundLive(owner, source, *live);
    return Status::Ok();
  }
  if (!live.status().IsNotFound()) return live.status();
  Waiters none;  // the caller is the one that waits
  MutexLock lock(mutex_);
  if (const ObjectPtr object = source.Living(name)) AddTombstone(source, object, none);
  return Status::Ok();
}

Status OwnWrites::ResolveNamespace(const Uid& owner, Source& source,
                                   const std::string& namespace_) {
  const Result<Live> live = ReadLive(source, namespace_, [&](const ObjectPtr& object) {
    {
      MutexLock lock(mutex_);
      const Owners owners = OwnersOf(source, object);
      if (std::ranges::find(owners, owner) == owners.end()) return false;
    }
    FoundLive(owner, source, object);
    return true;
  });
  if (!live) return live.status();
  Waiters none;
  MutexLock lock(mutex_);
  AddTombstonesForMissing(source, ChildrenOf(owner, source), namespace_, *live, none);
  return Status::Ok();
}

Result<OwnWrites::Live> OwnWrites::ReadLive(const Source& source, const std::string& namespace_,
                                            const std::function<bool(const ObjectPtr&)>& visit) {
  Live live;
  ListOptions options{.label_selector = source.informer.scope().label_selector, .limit = kPage};
  do {
    const Result<ObjectList> page = client_.List(source.informer.type(), namespace_, options);
    if (!page) return page.status();
    if (!live.version) live.version = VersionNumber(page->resource_version);
    for (const NamespacedName& name : page->malformed) live.unread.insert(name.name);
    for (const ObjectPtr& object : page->items) {
      if (visit(object)) live.uids.insert(source.MetadataOf(object).uid);
    }
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty());
  return live;
}

void OwnWrites::AddTombstonesForMissing(Source& source, const std::vector<ObjectPtr>& stored,
                                        const std::string& namespace_, const Live& live,
                                        Waiters& woken) {
  for (const ObjectPtr& object : stored) {
    const api::ObjectMeta& metadata = source.MetadataOf(object);
    if (metadata.deletionTimestamp || metadata.namespace_.view() != namespace_) continue;
    if (live.uids.contains(metadata.uid) || live.unread.contains(metadata.name)) continue;
    const std::optional<uint64_t> version = VersionNumber(metadata.resourceVersion);
    const bool is_newer = version && live.version && *version > *live.version;
    if (!is_newer) AddTombstone(source, object, woken);
  }
}

void OwnWrites::FoundLive(const Uid& owner, Source& source, const ObjectPtr& live) {
  const api::ObjectMeta& metadata = source.MetadataOf(live);
  Waiters none;
  MutexLock lock(mutex_);
  if (!metadata.deletionTimestamp) SettleTombstone(source, metadata.uid, none);
  if (source.Covers(source.informer.type(), metadata)) Mark(source, live, {owner});
}

void OwnWrites::Progress(Source& source, const std::string& resource_version, bool listed) {
  const std::optional<uint64_t> version = VersionNumber(resource_version);
  if (!version) return;
  Waiters woken;
  {
    MutexLock lock(mutex_);
    // A server that was restored to an older state has lost the later writes.
    const bool went_back = *version < source.applied;
    source.applied = *version;
    if (went_back) {
      for (auto& [namespace_, confirmation] : source.confirmations) confirmation.newest_orphan = 0;
    }
    const auto end = went_back ? source.marks.end() : source.marks.upper_bound(*version);
    for (auto mark = source.marks.begin(); mark != end; mark = source.marks.erase(mark)) {
      Settle(mark->second, woken);
    }
    if (listed) {
      for (const auto& [uid, tombstone] : source.tombstones) {
        NoteLost(source, {tombstone.name.namespace_, {}}, tombstone.owners);
        for (const Uid& owner : tombstone.owners) TakeWaiters(owners_[owner], woken);
      }
    }
  }
  for (const Waiter& waiter : woken) waiter.queue->Add(waiter.request);
}

void OwnWrites::Changed(Source& source, const ObjectPtr& before, const ObjectPtr& after) {
  Waiters woken;
  {
    MutexLock lock(mutex_);
    const bool gone =
        before && (!after || source.MetadataOf(before).uid != source.MetadataOf(after).uid);
    if (gone) source.adopted.erase(source.MetadataOf(before).uid);
    if (gone && source.reconciled) confirmed_owners_.erase(source.MetadataOf(before).uid);
    if (after && !source.adopted.empty()) {
      const auto adopted = source.adopted.find(source.MetadataOf(after).uid);
      if (adopted != source.adopted.end() && adopted->second == OwnersOf(source, after)) {
        source.adopted.erase(adopted);
      }
    }
    if (owners_.empty()) return;
    if (gone) SettleTombstone(source, source.MetadataOf(before).uid, woken);
    if (after && source.MetadataOf(after).deletionTimestamp) {
      SettleTombstone(source, source.MetadataOf(after).uid, woken);
    }
    // Owners that wait for resourceVersions that are not numbers check again.
    for (const ObjectPtr& object : {before, after}) {
      if (!object) continue;
      for (const Uid& uid : OwnersOf(source, object)) {
        const auto owner = owners_.find(uid);
        if (owner == owners_.end() || owner->second.lost.empty()) continue;
        TakeWaiters(owner->second, woken);
      }
    }
    if (gone && source.reconciled) {
      const auto owner = owners_.find(source.MetadataOf(before).uid);
      if (owner != owners_.end()) owner->second.lost.clear();
      if (owner != owners_.end() && owner->second.pending == 0) owners_.erase(owner);
    }
  }
  for (const Waiter& waiter : woken) waiter.queue->Add(waiter.request);
}

}  // namespace capstan
