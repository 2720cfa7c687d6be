#pragma once

/// The ownership graph of objects by uid, from their owner references. It is updated with each
/// change.
///
/// Threads: not thread-safe.

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <capstan/api/meta_v1.h>

#include "json/value.h"

namespace capstan::testing::server {

struct ObjectId {
  std::string storage;
  NamespacedName name;
  std::string uid;

  friend bool operator==(const ObjectId&, const ObjectId&) = default;
};
ObjectId IdOf(const std::string& storage, const json::Value& object);

class Ownership {
 public:
  /// Records the object's owner references. Returns whether they are new or have changed.
  /// `released` receives the uids of owners that the object no longer has.
  bool Observe(const ObjectId& id, const json::Value& object, std::vector<std::string>& released);
  /// Removes an object that is gone. Returns the uids of its owners.
  std::vector<std::string> Forget(const std::string& uid);
  std::vector<ObjectId> DependentsOf(const std::string& uid) const;
  bool HasDependents(const std::string& uid) const { return dependents_.contains(uid); }
  void Clear();

 private:
  struct Node {
    ObjectId id;
    json::Value references;
  };

  void Unlink(const std::string& uid, const json::Value& references);

  std::unordered_map<std::string, Node> nodes_;  // objects that have owners
  std::unordered_map<std::string, std::set<std::string>> dependents_;
};

}  // namespace capstan::testing::server
