#include "cache/object_table.h"

#include <functional>

namespace capstan {
namespace {

uint32_t HashOf(std::string_view namespace_, std::string_view name) {
  const std::hash<std::string_view> hash;
  const uint64_t mixed = (hash(namespace_) * 0x9e3779b97f4a7c15ULL) ^ hash(name);
  return static_cast<uint32_t>(mixed ^ (mixed >> 32));
}

// Removes the member at `position` by moving the last member there. Calls `moved` with that member
// and its new position.
template <class Members, class Moved>
void RemoveAt(Members& members, uint32_t position, const Moved& moved) {
  const uint32_t last = members.back();
  members[position] = last;
  members.pop_back();
  if (position < members.size()) moved(last, position);
}

}  // namespace

size_t ObjectTable::FindSlot(uint32_t hash, std::string_view namespace_,
                             std::string_view name) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.entry == kEmpty) return i;
    if (slot.hash != hash) continue;
    const api::ObjectMeta& metadata = MetadataOfEntry(slot.entry);
    if (metadata.name == name && metadata.namespace_.view() == namespace_) return i;
  }
}

void ObjectTable::Grow() {
  constexpr size_t kFirstSize = 16;
  std::vector<Slot> old(slots_.empty() ? kFirstSize : slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.entry == kEmpty) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].entry != kEmpty) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

// Moves later slots of the same run forward, so that no lookup stops before its object.
void ObjectTable::EraseSlot(size_t slot) {
  const size_t mask = slots_.size() - 1;
  size_t hole = slot;
  for (size_t i = (hole + 1) & mask; slots_[i].entry != kEmpty; i = (i + 1) & mask) {
    const size_t home = slots_[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = Slot{};
}

ObjectPtr ObjectTable::Put(IndexedObject indexed) {
  const api::ObjectMeta& metadata = MetadataOf(*type_, indexed.object.get());
  if ((size_ + 1) * 8 > slots_.size() * 7) Grow();
  const uint32_t hash = HashOf(metadata.namespace_, metadata.name);
  const size_t slot = FindSlot(hash, metadata.namespace_, metadata.name);
  ObjectPtr before;
  uint32_t entry = slots_[slot].entry;
  if (entry != kEmpty) {
    RemoveFromIndexes(entry);
    before = std::move(entries_[entry].object);
  } else {
    if (free_entries_.empty()) {
      entry = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      entry = free_entries_.back();
      free_entries_.pop_back();
    }
    slots_[slot] = {hash, entry};
    ++size_;
  }
  entries_[entry].object = std::move(indexed.object);
  AddToIndexes(entry, indexed.keys);
  return before;
}

ObjectPtr ObjectTable::Delete(std::string_view namespace_, std::string_view name) {
  if (size_ == 0) return nullptr;
  const size_t slot = FindSlot(HashOf(namespace_, name), namespace_, name);
  const uint32_t entry = slots_[slot].entry;
  if (entry == kEmpty) return nullptr;
  RemoveFromIndexes(entry);
  EraseSlot(slot);
  free_entries_.push_back(entry);
  --size_;
  return std::move(entries_[entry].object);
}

void ObjectTable::FileInIndex(const ObjectPtr& object, uint32_t index,
                              const std::vector<std::string>& keys) {
  if (size_ == 0) return;
  const api::ObjectMeta& metadata = MetadataOf(*type_, object.get());
  const size_t slot =
      FindSlot(HashOf(metadata.namespace_, metadata.name), metadata.namespace_, metadata.name);
  const uint32_t entry = slots_[slot].entry;
  if (entry == kEmpty || entries_[entry].object != object) return;
  if (entry < memberships_.size()) {
    for (const Membership& membership : memberships_[entry]) {
      if (membership.index == index) return;
    }
  }
  AddToIndex(entry, index, keys);
}

ObjectTable::Members& ObjectTable::OwnerBucket(const api::ObjectMeta& metadata) {
  if (const api::OwnerReference* owner = api::ControllerOf(metadata)) return owners_[owner->uid];
  return orphans_[metadata.namespace_];
}

void ObjectTable::DropOwnerBucket(const api::ObjectMeta& metadata) {
  if (const api::OwnerReference* owner = api::ControllerOf(metadata)) {
    owners_.erase(owner->uid);
  } else {
    orphans_.erase(metadata.namespace_);
  }
}

void ObjectTable::AddToIndexes(uint32_t entry, const IndexKeys& keys) {
  const api::ObjectMeta& metadata = MetadataOfEntry(entry);
  Members& same_namespace = namespaces_[metadata.namespace_];
  entries_[entry].namespace_position = static_cast<uint32_t>(same_namespace.size());
  same_namespace.push_back(entry);
  Members& same_owner = OwnerBucket(metadata);
  entries_[entry].owner_position = static_cast<uint32_t>(same_owner.size());
  same_owner.push_back(entry);
  for (const auto& [index, index_keys] : keys) AddToIndex(entry, index, index_keys);
}

void ObjectTable::AddToIndex(uint32_t entry, uint32_t index, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    auto& bucket = *custom_[index].try_emplace(key).first;
    // An index function may return a key twice.
    if (!bucket.second.empty() && bucket.second.back() == entry) continue;
    if (memberships_.size() <= entry) memberships_.resize(entries_.size());
    memberships_[entry].push_back({&bucket, index, static_cast<uint32_t>(bucket.second.size())});
    bucket.second.push_back(entry);
  }
}

void ObjectTable::RemoveFromIndexes(uint32_t entry) {
  const api::ObjectMeta& metadata = MetadataOfEntry(entry);
  const auto same_namespace = namespaces_.find(metadata.namespace_);
  RemoveAt(same_namespace->second, entries_[entry].namespace_position,
           [&](uint32_t moved, uint32_t to) { entries_[moved].namespace_position = to; });
  if (same_namespace->second.empty()) namespaces_.erase(same_namespace);

  Members& same_owner = OwnerBucket(metadata);
  RemoveAt(same_owner, entries_[entry].owner_position,
           [&](uint32_t moved, uint32_t to) { entries_[moved].owner_position = to; });
  if (same_owner.empty()) DropOwnerBucket(metadata);

  if (entry >= memberships_.size()) return;
  for (const Membership& membership : memberships_[entry]) {
    Members& members = membership.bucket->second;
    RemoveAt(members, membership.position, [&](uint32_t moved, uint32_t to) {
      for (Membership& other : memberships_[moved]) {
        if (other.bucket == membership.bucket) other.position = to;
      }
    });
    if (members.empty()) {
      CustomIndex& index = custom_[membership.index];
      index.erase(index.find(membership.bucket->first));
    }
  }
  memberships_[entry].clear();
}

ObjectPtr ObjectTable::Get(std::string_view namespace_, std::string_view name) const {
  if (size_ == 0) return nullptr;
  const uint32_t entry = slots_[FindSlot(HashOf(namespace_, name), namespace_, name)].entry;
  return entry == kEmpty ? nullptr : entries_[entry].object;
}

std::vector<ObjectPtr> ObjectTable::List() const {
  std::vector<ObjectPtr> all;
  all.reserve(size_);
  for (const Entry& entry : entries_) {
    if (entry.object) all.push_back(entry.object);
  }
  return all;
}

std::vector<ObjectPtr> ObjectTable::Collect(const Members& members) const {
  std::vector<ObjectPtr> objects;
  objects.reserve(members.size());
  for (const uint32_t entry : members) objects.push_back(entries_[entry].object);
  return objects;
}

std::vector<ObjectPtr> ObjectTable::InNamespace(const InternedString& namespace_) const {
  const auto found = namespaces_.find(namespace_);
  return found == namespaces_.end() ? std::vector<ObjectPtr>{} : Collect(found->second);
}

std::vector<ObjectPtr> ObjectTable::OwnedBy(const Uid& owner) const {
  const auto found = owners_.find(owner);
  return found == owners_.end() ? std::vector<ObjectPtr>{} : Collect(found->second);
}

std::vector<ObjectPtr> ObjectTable::Orphans(const InternedString& namespace_) const {
  const auto found = orphans_.find(namespace_);
  return found == orphans_.end() ? std::vector<ObjectPtr>{} : Collect(found->second);
}

std::vector<ObjectPtr> ObjectTable::ByIndex(uint32_t index, const std::string& key) const {
  const auto found = custom_[index].find(key);
  return found == custom_[index].end() ? std::vector<ObjectPtr>{} : Collect(found->second);
}

}  // namespace capstan
