#pragma once

// Things that go once nothing is left in them: a namespace with the objects in it, a
// CustomResourceDefinition with the objects of its kind.
//
// Threads: belongs to one.

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

  // To be told of every object that is there or has changed, and of every one that is gone.
  void Observe(const ObjectId& id, const json::Value& object);
  void Forget(const ObjectId& id);
  // Works on what has been seen; whether there was anything to do.
  bool Work();
  void Clear();

 private:
  // A container by its storage and name.
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
