#include "apiserver/schema/resource.h"

#include <algorithm>

#include "apiserver/validation/names.h"

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

void ResourceRules::PrepareForCreate(json::Value& /*object*/) const {}

void ResourceRules::PrepareForUpdate(json::Value& object, const json::Value& before,
                                     std::string_view /*subresource*/) const {
  KeepGeneration(object, before);
}

void ResourceRules::KeepGeneration(json::Value& object, const json::Value& before) {
  const json::Value& generation = before.Get("metadata", "generation");
  if (object.Get("metadata", "generation") == generation) return;
  if (generation.IsNull()) {
    object.Mutable("metadata").Erase("generation");
  } else {
    object.Mutable("metadata", "generation") = generation;
  }
}

void ResourceRules::Default(json::Value& /*object*/) const {}

void ResourceRules::Validate(const json::Value& /*object*/, FieldErrors& /*errors*/) const {}

void ResourceRules::ValidateUpdate(const json::Value& /*object*/, const json::Value& /*before*/,
                                   std::string_view /*subresource*/,
                                   FieldErrors& /*errors*/) const {}

void ResourceRules::ValidateName(std::string_view name, std::string_view field,
                                 FieldErrors& errors) const {
  AddFaults(FaultsOfDnsSubdomain(name), FieldPath(field), name, errors);
}

void ResourceRules::ValidateFirst(const json::Value& /*object*/, FieldErrors& /*errors*/) const {}

std::vector<std::string> ResourceRules::Warnings(const json::Value& /*object*/) const { return {}; }

std::vector<std::string> ResourceRules::WarningsOfUpdate(const json::Value& /*object*/,
                                                         const json::Value& /*before*/) const {
  return {};
}

std::optional<std::string> ResourceRules::SelectableField(const json::Value& object,
                                                          std::string_view field) const {
  if (field == "metadata.name") return object.Get("metadata", "name").AsString();
  if (field == "metadata.namespace") return object.Get("metadata", "namespace").AsString();
  return std::nullopt;
}

int64_t ResourceRules::DefaultGracePeriod(const json::Value& /*object*/) const { return 0; }

int64_t ResourceRules::GracePeriod(const json::Value& /*object*/, int64_t /*asked*/) const {
  return 0;
}

std::string Resource::ApiVersion() const { return group.empty() ? version : group + "/" + version; }

std::string Resource::QualifiedName() const { return group.empty() ? name : name + "." + group; }

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
  // Requests under way may still use them.
  retired_.insert(retired_.end(), kept, serving_.end());
  serving_.erase(kept, serving_.end());
}

int64_t ResourceCatalog::Revision() const {
  const MutexLock lock(mutex_);
  return revision_;
}

}  // namespace capstan::testing::server
