#include <capstan/cache/indexer.h>

#include <algorithm>
#include <utility>

#include "cache/object_table.h"

#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

namespace capstan {
namespace {

struct Index {
  std::string name;
  IndexFunction function;
};
// Immutable once shared, because index functions run without the lock.
using Indices = std::shared_ptr<const std::vector<Index>>;

IndexedObject WithKeys(ObjectPtr object, const std::vector<Index>& indices) {
  IndexedObject indexed{std::move(object), {}};
  for (uint32_t number = 0; number < indices.size(); ++number) {
    std::vector<std::string> keys;
    indices[number].function(indexed.object.get(), keys);
    if (!keys.empty()) indexed.keys.emplace_back(number, std::move(keys));
  }
  return indexed;
}

}  // namespace

struct Indexer::Impl {
  explicit Impl(const TypeDescriptor& t) : type(t), table(t) {}

  Indices CurrentIndices() const CAPSTAN_EXCLUDES(mutex) {
    MutexLock lock(mutex);
    return indices;
  }

  const TypeDescriptor& type;
  mutable Mutex mutex;
  Indices indices CAPSTAN_GUARDED_BY(mutex) = std::make_shared<std::vector<Index>>();
  ObjectTable table CAPSTAN_GUARDED_BY(mutex);
};

Indexer::Indexer(const TypeDescriptor& type) : impl_(std::make_unique<Impl>(type)) {}
Indexer::~Indexer() = default;

const TypeDescriptor& Indexer::type() const { return impl_->type; }

// Every Put updates the new index from the start. Objects stored before are indexed afterwards, one
// at a time.
Status Indexer::AddIndex(std::string name, IndexFunction function) {
  if (!function) return Status::InvalidArgument(Format("index \"{}\" has no function", name));
  uint32_t number = 0;
  Indices indices;
  std::vector<ObjectPtr> stored;
  {
    MutexLock lock(impl_->mutex);
    const bool taken =
        name == kOwnerUidIndex || name == kOrphanIndex ||
        std::ranges::any_of(*impl_->indices, [&](const Index& i) { return i.name == name; });
    if (taken) {
      return Status::InvalidArgument(
          Format("{} already has an index \"{}\"", impl_->type.name, name));
    }
    number = static_cast<uint32_t>(impl_->indices->size());
    auto extended = std::make_shared<std::vector<Index>>(*impl_->indices);
    extended->push_back({std::move(name), std::move(function)});
    impl_->indices = indices = std::move(extended);
    impl_->table.SetIndexCount(indices->size());
    stored = impl_->table.List();
  }
  for (const ObjectPtr& object : stored) {
    std::vector<std::string> keys;
    (*indices)[number].function(object.get(), keys);
    if (keys.empty()) continue;
    MutexLock lock(impl_->mutex);
    impl_->table.FileInIndex(object, number, keys);
  }
  return Status::Ok();
}

ObjectPtr Indexer::Put(ObjectPtr object) {
  for (Indices indices = impl_->CurrentIndices();;) {
    IndexedObject indexed = WithKeys(object, *indices);
    MutexLock lock(impl_->mutex);
    if (indices == impl_->indices) return impl_->table.Put(std::move(indexed));
    indices = impl_->indices;
  }
}

ObjectPtr Indexer::Delete(const NamespacedName& name) {
  MutexLock lock(impl_->mutex);
  return impl_->table.Delete(name.namespace_, name.name);
}

void Indexer::Replace(std::vector<ObjectPtr> objects) {
  for (Indices indices = impl_->CurrentIndices();;) {
    ObjectTable table(impl_->type);
    table.SetIndexCount(indices->size());
    for (const ObjectPtr& object : objects) table.Put(WithKeys(object, *indices));
    MutexLock lock(impl_->mutex);
    if (indices == impl_->indices) {
      std::swap(impl_->table, table);
      break;  // the old content is destroyed after the lock is released
    }
    indices = impl_->indices;
  }
}

ObjectPtr Indexer::Get(std::string_view namespace_, std::string_view name) const {
  MutexLock lock(impl_->mutex);
  return impl_->table.Get(namespace_, name);
}

std::vector<ObjectPtr> Indexer::List() const {
  MutexLock lock(impl_->mutex);
  return impl_->table.List();
}

std::vector<ObjectPtr> Indexer::ListNamespace(std::string_view namespace_) const {
  const InternedString key(namespace_);
  MutexLock lock(impl_->mutex);
  return impl_->table.InNamespace(key);
}

std::vector<ObjectPtr> Indexer::ByIndex(std::string_view index, std::string_view key) const {
  if (index == kOwnerUidIndex) {
    const Uid owner(key);
    MutexLock lock(impl_->mutex);
    return impl_->table.OwnedBy(owner);
  }
  if (index == kOrphanIndex) {
    const InternedString namespace_(key);
    MutexLock lock(impl_->mutex);
    return impl_->table.Orphans(namespace_);
  }
  const std::string text(key);
  MutexLock lock(impl_->mutex);
  for (uint32_t number = 0; number < impl_->indices->size(); ++number) {
    if ((*impl_->indices)[number].name == index) return impl_->table.ByIndex(number, text);
  }
  return {};
}

size_t Indexer::size() const {
  MutexLock lock(impl_->mutex);
  return impl_->table.size();
}

}  // namespace capstan
