#pragma once

/// ObjectTable: the data structure of an Indexer, without its lock.
///
/// It is compact, because there is one entry for each pod of a cluster: an entry takes 24 bytes, a
/// slot of the hash table 8, a membership in an index 4. Names are read from the objects and are
/// not copied.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <capstan/api/list.h>
#include <capstan/api/object.h>

namespace capstan {

/// The keys of one object in the added indices, by index number.
using IndexKeys = std::vector<std::pair<uint32_t, std::vector<std::string>>>;

/// An object and its index keys, computed before the lock is taken.
struct IndexedObject {
  ObjectPtr object;
  IndexKeys keys;
};

class ObjectTable {
 public:
  explicit ObjectTable(const TypeDescriptor& type) : type_(&type) {}

  /// Makes room for added indices with numbers below `count`.
  void SetIndexCount(size_t count) { custom_.resize(count); }

  /// Returns the previous object, or null.
  ObjectPtr Put(IndexedObject indexed);
  ObjectPtr Delete(std::string_view namespace_, std::string_view name);
  /// Adds `object` to index `index` if it is still the stored object and is not in the index yet.
  void FileInIndex(const ObjectPtr& object, uint32_t index, const std::vector<std::string>& keys);

  ObjectPtr Get(std::string_view namespace_, std::string_view name) const;
  std::vector<ObjectPtr> List() const;
  std::vector<ObjectPtr> InNamespace(const InternedString& namespace_) const;
  std::vector<ObjectPtr> OwnedBy(const Uid& owner) const;
  std::vector<ObjectPtr> Orphans(const InternedString& namespace_) const;
  std::vector<ObjectPtr> ByIndex(uint32_t index, const std::string& key) const;
  size_t size() const { return size_; }

 private:
  using Members = ::capstan::List<uint32_t>;  // entry numbers
  using CustomIndex = std::unordered_map<std::string, Members>;
  // Memberships point to map nodes. When custom_ grows, it must move the maps, which keeps the
  // nodes.
  static_assert(std::is_nothrow_move_constructible_v<CustomIndex>);
  struct Membership {
    CustomIndex::value_type* bucket;
    uint32_t index;
    uint32_t position;  // in the bucket
  };
  struct Entry {
    ObjectPtr object;  // null if the entry is free
    uint32_t namespace_position = 0;
    uint32_t owner_position = 0;  // in the bucket of the owner, or of the namespace's orphans
  };
  struct Slot {
    uint32_t hash = 0;
    uint32_t entry = kEmpty;
  };
  static constexpr uint32_t kEmpty = UINT32_MAX;

  const api::ObjectMeta& MetadataOfEntry(uint32_t entry) const {
    return MetadataOf(*type_, entries_[entry].object.get());
  }
  size_t FindSlot(uint32_t hash, std::string_view namespace_, std::string_view name) const;
  void Grow();
  void EraseSlot(size_t slot);

  void AddToIndexes(uint32_t entry, const IndexKeys& keys);
  void AddToIndex(uint32_t entry, uint32_t index, const std::vector<std::string>& keys);
  void RemoveFromIndexes(uint32_t entry);
  Members& OwnerBucket(const api::ObjectMeta& metadata);
  void DropOwnerBucket(const api::ObjectMeta& metadata);
  std::vector<ObjectPtr> Collect(const Members& members) const;

  const TypeDescriptor* type_;
  std::deque<Entry> entries_;
  std::vector<uint32_t> free_entries_;
  std::vector<Slot> slots_;  // open addressing, a power of two
  size_t size_ = 0;

  std::unordered_map<InternedString, Members> namespaces_;
  std::unordered_map<Uid, Members> owners_;
  std::unordered_map<InternedString, Members> orphans_;
  std::vector<CustomIndex> custom_;
  // Memberships in the indices of custom_, by entry. Entries beyond its end have no memberships.
  std::vector<::capstan::List<Membership>> memberships_;
};

}  // namespace capstan
