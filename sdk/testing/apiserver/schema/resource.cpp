#include "apiserver/schema/resource.h"

#include <algorithm>

namespace capstan::testing::server {
namespace {

using Place = std::vector<std::shared_ptr<const Resource>>::iterator;

Place PlaceOf(std::vector<std::shared_ptr<const Resource>>& resources, const Resource& wanted) {
  return std::find_if(resources.begin(), resources.end(), [&wanted](const auto& resource) {
    return resource->group == wanted.group && resource->version == wanted.version &&
           resource->name == wanted.name;
  });
}

}  // namespace

std::vector<std::string> StoredVerbs() {
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

bool Subresource::Serves(std::string_view verb) const {
  if (verb == "apply") verb = "patch";
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

std::string Resource::ApiVersion() const { return group.empty() ? version : group + "/" + version; }

std::string Resource::QualifiedName() const { return group.empty() ? name : name + "." + group; }

const Subresource* Resource::FindSubresource(std::string_view subresource) const {
  const auto found =
      std::find_if(subresources.begin(), subresources.end(),
                   [subresource](const auto& one) { return one.name == subresource; });
  return found == subresources.end() ? nullptr : &*found;
}

ResourceCatalog::ResourceCatalog() {
  for (Resource& resource : BuiltInResources()) {
    serving_.push_back(std::make_shared<const Resource>(std::move(resource)));
  }
}

ResourceCatalog::~ResourceCatalog() = default;

const Resource* ResourceCatalog::Find(std::string_view group, std::string_view version,
                                      std::string_view name) const {
  const MutexLock lock(mutex_);
  for (const auto& resource : serving_) {
    if (resource->name == name && resource->group == group && resource->version == version) {
      return resource.get();
    }
  }
  return nullptr;
}

const Resource* ResourceCatalog::FindKind(std::string_view group, std::string_view version,
                                          std::string_view kind) const {
  const MutexLock lock(mutex_);
  for (const auto& resource : serving_) {
    if (resource->kind == kind && resource->group == group && resource->version == version) {
      return resource.get();
    }
  }
  return nullptr;
}

std::vector<const Resource*> ResourceCatalog::All() const {
  const MutexLock lock(mutex_);
  std::vector<const Resource*> all;
  all.reserve(serving_.size());
  for (const auto& resource : serving_) all.push_back(resource.get());
  return all;
}

void ResourceCatalog::Add(Resource resource) {
  if (resource.storage.empty()) resource.storage = resource.QualifiedName();
  auto added = std::make_shared<const Resource>(std::move(resource));
  const MutexLock lock(mutex_);
  ++revision_;
  const Place place = PlaceOf(serving_, *added);
  if (place == serving_.end()) {
    serving_.push_back(std::move(added));
    return;
  }
  retired_.push_back(std::exchange(*place, std::move(added)));
}

void ResourceCatalog::Remove(std::string_view group, std::string_view name) {
  const MutexLock lock(mutex_);
  ++revision_;
  const auto kept =
      std::stable_partition(serving_.begin(), serving_.end(), [group, name](const auto& resource) {
        return resource->group != group || resource->name != name;
      });
  // Running requests may still use them.
  retired_.insert(retired_.end(), kept, serving_.end());
  serving_.erase(kept, serving_.end());
}

int64_t ResourceCatalog::Revision() const {
  const MutexLock lock(mutex_);
  return revision_;
}

}  // namespace capstan::testing::server
