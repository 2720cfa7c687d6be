#include "apiserver/storage/ownership.h"

#include <algorithm>
#include <utility>

namespace capstan::testing::server {
namespace {

std::vector<std::string> UidsOf(const json::Value& references) {
  std::vector<std::string> uids;
  for (const json::Value& reference : references.items()) {
    uids.push_back(reference.Get("uid").AsString());
  }
  return uids;
}

}  // namespace

ObjectId IdOf(const std::string& storage, const json::Value& object) {
  const json::Value& metadata = object.Get("metadata");
  return {storage,
          {metadata.Get("namespace").AsString(), metadata.Get("name").AsString()},
          metadata.Get("uid").AsString()};
}

bool Ownership::Observe(const ObjectId& id, const json::Value& object,
                        std::vector<std::string>& released) {
  const json::Value& references = object.Get("metadata", "ownerReferences");
  const auto place = nodes_.find(id.uid);
  if (place == nodes_.end() && references.items().empty()) return false;
  if (place != nodes_.end()) {
    if (place->second.references == references) return false;
    released = UidsOf(place->second.references);
    Unlink(id.uid, place->second.references);
    nodes_.erase(place);
  }
  for (const std::string& owner : UidsOf(references)) {
    dependents_[owner].insert(id.uid);
    std::erase(released, owner);
  }
  if (!references.items().empty()) nodes_[id.uid] = {id, references};
  return true;
}

std::vector<std::string> Ownership::Forget(const std::string& uid) {
  const auto place = nodes_.find(uid);
  if (place == nodes_.end()) return {};
  std::vector<std::string> owners = UidsOf(place->second.references);
  Unlink(uid, place->second.references);
  nodes_.erase(place);
  return owners;
}

void Ownership::Unlink(const std::string& uid, const json::Value& references) {
  for (const std::string& owner : UidsOf(references)) {
    const auto place = dependents_.find(owner);
    if (place == dependents_.end()) continue;
    place->second.erase(uid);
    if (place->second.empty()) dependents_.erase(place);
  }
}

std::vector<ObjectId> Ownership::DependentsOf(const std::string& uid) const {
  std::vector<ObjectId> ids;
  const auto place = dependents_.find(uid);
  if (place == dependents_.end()) return ids;
  for (const std::string& dependent : place->second) ids.push_back(nodes_.at(dependent).id);
  return ids;
}

void Ownership::Clear() {
  nodes_.clear();
  dependents_.clear();
}

}  // namespace capstan::testing::server
