#pragma once

/// Lister<T>: reads an informer's cache. Never blocks on I/O.
///
/// Threads: a cheap value; all methods may be called from any thread.

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/cache/indexer.h>

namespace capstan {

template <ApiObject T>
class Lister {
 public:
  using Ptr = std::shared_ptr<const T>;

  explicit Lister(std::shared_ptr<const Indexer> indexer) : indexer_(std::move(indexer)) {}

  /// Returns null if the object does not exist.
  Ptr Get(const NamespacedName& name) const { return Cast(indexer_->Get(name)); }
  Ptr Get(std::string_view namespace_, std::string_view name) const {
    return Cast(indexer_->Get(namespace_, name));
  }
  std::vector<Ptr> List() const { return Cast(indexer_->List()); }
  std::vector<Ptr> ListNamespace(std::string_view namespace_) const {
    return Cast(indexer_->ListNamespace(namespace_));
  }
  std::vector<Ptr> ListNamespace(std::string_view namespace_, const Selector& selector) const {
    std::vector<Ptr> matching;
    for (auto& object : indexer_->ListNamespace(namespace_)) {
      Ptr typed = Cast(std::move(object));
      if (selector.Matches(typed->metadata.labels)) matching.push_back(std::move(typed));
    }
    return matching;
  }
  /// Returns the objects whose controller has this UID.
  std::vector<Ptr> OwnedBy(const Uid& owner) const {
    return Cast(indexer_->ByIndex(kOwnerUidIndex, owner.str()));
  }
  /// Returns the objects of a namespace without a controller.
  std::vector<Ptr> Orphans(std::string_view namespace_) const {
    return Cast(indexer_->ByIndex(kOrphanIndex, namespace_));
  }
  std::vector<Ptr> ByIndex(std::string_view index, std::string_view key) const {
    return Cast(indexer_->ByIndex(index, key));
  }

 private:
  static Ptr Cast(ObjectPtr object) { return std::static_pointer_cast<const T>(std::move(object)); }
  static std::vector<Ptr> Cast(std::vector<ObjectPtr> objects) {
    std::vector<Ptr> typed;
    typed.reserve(objects.size());
    for (auto& object : objects) typed.push_back(Cast(std::move(object)));
    return typed;
  }

  std::shared_ptr<const Indexer> indexer_;
};

}  // namespace capstan
