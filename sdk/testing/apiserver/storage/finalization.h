#pragma once

/// Finalizes containers of objects: a namespace with the objects in it, and a
/// CustomResourceDefinition with the objects of its kind. It deletes the objects in a container
/// that is being deleted, and removes the container's finalizer once it is empty.
///
/// Threads: not thread-safe.

#include <map>
#include <set>
#include <string>
#include <utility>

#include "apiserver/storage/ownership.h"
#include "apiserver/storage/registry.h"

namespace capstan::testing::server {

class Finalization {
 public:
  explicit Finalization(Registry& registry) : registry_(registry) {}

  /// Call Observe for each object that exists or has changed, and Forget for each object that is
  /// gone.
  void Observe(const ObjectId& id, const json::Value& object);
  void Forget(const ObjectId& id);
  /// Processes the observed changes. Returns false if there was nothing to do.
  bool Work();
  void Clear();

 private:
  // A container, by its storage and name.
  using Container = std::pair<std::string, std::string>;
  using Remaining = std::set<std::pair<std::string, NamespacedName>>;

  void Begin(const Container& container);
  void Empty(const Container& container);
  void Finish(const Container& container);
  std::vector<const Resource*> ResourcesIn(const Container& container) const;

  Registry& registry_;
  std::map<Container, Remaining> open_;
  std::set<Container> due_;
};

}  // namespace capstan::testing::server
