#include "apiserver/storage/finalization.h"

#include <utility>

#include "apiserver/storage/system_fields.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kNamespaces = "namespaces";
constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";
constexpr std::string_view kNamespaceFinalizer = "kubernetes";

bool HoldsNamespace(const json::Value& object) {
  for (const json::Value& finalizer : object.Get("spec", "finalizers").items()) {
    if (finalizer.AsString() == kNamespaceFinalizer) return true;
  }
  return false;
}

void LetNamespaceGo(json::Value& object) {
  std::erase_if(object.Mutable("spec", "finalizers").MutableItems(),
                [](const json::Value& one) { return one.AsString() == kNamespaceFinalizer; });
  json::Value& spec = object.Mutable("spec");
  if (spec.Get("finalizers").items().empty()) spec.Erase("finalizers");
}

bool IsWaiting(const std::string& storage, const json::Value& object) {
  if (!IsBeingDeleted(object)) return false;
  if (storage == kNamespaces) return HoldsNamespace(object);
  return HasFinalizer(object, kDefinitionFinalizer);
}

}  // namespace

void Finalization::Observe(const ObjectId& id, const json::Value& object) {
  const bool contains = id.storage == kNamespaces || id.storage == kDefinitions;
  if (contains) {
    const Container container{id.storage, id.name.name};
    if (IsWaiting(id.storage, object) && !open_.contains(container)) Begin(container);
  }
  if (open_.empty()) return;
  // An object that was created while its container is being deleted.
  for (const Container& container :
       {Container(kNamespaces, id.name.namespace_), Container(kDefinitions, id.storage)}) {
    const auto place = open_.find(container);
    if (place == open_.end() || IsBeingDeleted(object)) continue;
    if (place->second.insert({id.storage, id.name}).second) due_.insert(container);
  }
}

void Finalization::Forget(const ObjectId& id) {
  if (open_.empty()) return;
  open_.erase({id.storage, id.name.name});
  for (const Container& container :
       {Container(kNamespaces, id.name.namespace_), Container(kDefinitions, id.storage)}) {
    const auto place = open_.find(container);
    if (place == open_.end()) continue;
    if (place->second.erase({id.storage, id.name}) && place->second.empty()) {
      due_.insert(container);
    }
  }
}

bool Finalization::Work() {
  if (due_.empty()) return false;
  const std::set<Container> due = std::exchange(due_, {});
  for (const Container& container : due) {
    if (open_.contains(container)) Empty(container);
  }
  return true;
}

void Finalization::Clear() {
  open_.clear();
  due_.clear();
}

void Finalization::Begin(const Container& container) {
  open_[container];
  due_.insert(container);
}

std::vector<const Resource*> Finalization::ResourcesIn(const Container& container) const {
  std::vector<const Resource*> resources;
  std::set<std::string> seen;
  for (const Resource* resource : registry_.catalog().All()) {
    const bool is_in = container.first == kNamespaces ? resource->namespaced
                                                      : resource->storage == container.second;
    if (is_in && seen.insert(resource->storage).second) resources.push_back(resource);
  }
  return resources;
}

void Finalization::Empty(const Container& container) {
  Remaining remaining;
  const std::string place = container.first == kNamespaces ? container.second : std::string();
  for (const Resource* resource : ResourcesIn(container)) {
    const Snapshot snapshot = registry_.store().List(resource->storage, place);
    for (const StoredObjectPtr& object : snapshot.objects) {
      const ObjectId id = IdOf(resource->storage, object->value());
      DeleteOptions options;
      options.propagation_policy = "Background";
      options.preconditions.uid = id.uid;
      const Result<Deleted> deleted = registry_.Delete(*resource, id.name, options);
      if (deleted.ok() && !deleted->removed) remaining.insert({id.storage, id.name});
    }
  }
  if (remaining.empty()) {
    open_.erase(container);
    Finish(container);
  } else {
    open_[container] = std::move(remaining);
  }
}

void Finalization::Finish(const Container& container) {
  for (const Resource* resource : registry_.catalog().All()) {
    if (resource->storage != container.first) continue;
    const auto let_go = [&](const json::Value& before) -> Result<json::Value> {
      json::Value object = before;
      if (container.first == kNamespaces) {
        LetNamespaceGo(object);
      } else {
        EraseFinalizer(object, kDefinitionFinalizer);
      }
      return object;
    };
    // The container may be gone already, and a new one with this name is not being deleted.
    const StoredObjectPtr present = registry_.store().Get(container.first, {"", container.second});
    if (!present || !IsWaiting(container.first, present->value())) return;
    Preconditions preconditions;
    preconditions.uid = present->value().Get("metadata", "uid").AsString();
    static_cast<void>(registry_.Rewrite(*resource, {"", container.second}, preconditions,
                                        /*dry_run=*/false, let_go));
    return;
  }
}

}  // namespace capstan::testing::server
