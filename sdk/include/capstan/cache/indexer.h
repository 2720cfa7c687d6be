#pragma once

/// Indexer: an informer's store of objects, keyed by namespace and name, with indices.
///
/// Threads: all methods may be called from any thread. Objects are immutable and shared: a returned
/// object stays valid and unchanged when the store changes.

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

/// Appends the index keys of `object` to `keys`.
using IndexFunction = std::function<void(const void* object, std::vector<std::string>& keys)>;

/// The index by controller, which every informer has. The key is the text of the controller's UID.
inline constexpr std::string_view kOwnerUidIndex = "owner-uid";
/// The index of objects without a controller. The key is the namespace.
inline constexpr std::string_view kOrphanIndex = "orphan";

class CAPSTAN_EXPORT Indexer {
 public:
  explicit Indexer(const TypeDescriptor& type);
  ~Indexer();
  Indexer(const Indexer&) = delete;
  Indexer& operator=(const Indexer&) = delete;

  const TypeDescriptor& type() const;

  /// Adds an index, which includes the objects already stored. InvalidArgument if the name is in
  /// use.
  Status AddIndex(std::string name, IndexFunction function);

  /// Adds or replaces an object. Returns the previous object, or null.
  ObjectPtr Put(ObjectPtr object);
  /// Removes an object. Returns the removed object, or null.
  ObjectPtr Delete(const NamespacedName& name);
  /// Replaces the whole content.
  void Replace(std::vector<ObjectPtr> objects);

  ObjectPtr Get(std::string_view namespace_, std::string_view name) const;
  ObjectPtr Get(const NamespacedName& name) const { return Get(name.namespace_, name.name); }
  std::vector<ObjectPtr> List() const;
  std::vector<ObjectPtr> ListNamespace(std::string_view namespace_) const;
  /// Returns an empty vector if the index or the key does not exist.
  std::vector<ObjectPtr> ByIndex(std::string_view index, std::string_view key) const;
  size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
