#pragma once

/// Indexer: the informer's store of objects, by namespace and name, with indices.
///
/// Threads: all methods may be called from any thread. Objects are immutable and shared: what a
/// look-up returns stays valid, and stays as it was, however the store changes.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// Adds the keys under which `object` is found to `keys`.
using IndexFunction = std::function<void(const void* object, std::vector<std::string>& keys)>;

/// The index by controller owner that every informer has: key = the owner's UID text.
inline constexpr std::string_view kOwnerUidIndex = "owner-uid";
/// Objects without a controller, under the key of their namespace.
inline constexpr std::string_view kOrphanIndex = "orphan";

class CAPSTAN_EXPORT Indexer {
 public:
  explicit Indexer(const TypeDescriptor& type);
  ~Indexer();
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  const TypeDescriptor& type() const;

  /// Adds an index, also over what is stored already. InvalidArgument when the name is taken.
  Status AddIndex(std::string name, IndexFunction function);

  /// Adds or replaces; gives the object that was there, or null.
  ObjectPtr Put(ObjectPtr object);
  /// Removes; gives the object that was there, or null.
  ObjectPtr Delete(const NamespacedName& name);
  /// Replaces the whole content.
  void Replace(std::vector<ObjectPtr> objects);

  ObjectPtr Get(std::string_view namespace_, std::string_view name) const;
  ObjectPtr Get(const NamespacedName& name) const { return Get(name.namespace_, name.name); }
  std::vector<ObjectPtr> List() const;
  std::vector<ObjectPtr> ListNamespace(std::string_view namespace_) const;
  /// Empty when there is no such index or key.
  std::vector<ObjectPtr> ByIndex(std::string_view index, std::string_view key) const;
  size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
