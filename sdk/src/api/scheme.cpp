#include <capstan/api/scheme.h>

#include <algorithm>
#include <cstring>

#include <capstan/api/kinds.h>

namespace capstan {
namespace {

bool InGroupVersion(const TypeDescriptor& type, std::string_view group, std::string_view version) {
  return type.resource->group == group && type.resource->version == version;
}

std::string Describe(const ResourceInfo& info) {
  return info.ApiVersion() + " " + info.kind + " (resource \"" + info.resource + "\", " +
         (info.namespaced ? "namespaced" : "cluster-scoped") + ")";
}

bool SameText(const char* a, const char* b) { return std::strcmp(a, b) == 0; }

}  // namespace

Scheme::Scheme() {
  const auto kinds = TypedKinds();
  types_.assign(kinds.begin(), kinds.end());
}

Status Scheme::Add(const TypeDescriptor& type) {
  if (!type.resource) {
    return Status::InvalidArgument(std::string("type ") + type.name +
                                   " is not a resource: declare it with CAPSTAN_DECLARE_RESOURCE");
  }
  const ResourceInfo& info = *type.resource;
  if (info.version[0] == '\0' || info.kind[0] == '\0' || info.resource[0] == '\0') {
    return Status::InvalidArgument(std::string("type ") + type.name +
                                   " needs a version, a kind and a resource name");
  }
  MutexLock lock(mutex_);
  for (const TypeDescriptor* known : types_) {
    if (known == &type) return Status::Ok();
    const ResourceInfo& other = *known->resource;
    if (!InGroupVersion(*known, info.group, info.version)) continue;
    const bool same_kind = SameText(other.kind, info.kind);
    const bool same_resource = SameText(other.resource, info.resource);
    if (!same_kind && !same_resource) continue;
    if (same_kind && same_resource && other.namespaced == info.namespaced) continue;
    return Status::InvalidArgument(std::string("type ") + type.name + " is " + Describe(info) +
                                   ", but type " + known->name + " is " + Describe(other));
  }
  types_.push_back(&type);
  return Status::Ok();
}

const TypeDescriptor* Scheme::FindKind(std::string_view group, std::string_view version,
                                       std::string_view kind) const {
  MutexLock lock(mutex_);
  const auto found = std::find_if(types_.begin(), types_.end(), [&](const TypeDescriptor* type) {
    return InGroupVersion(*type, group, version) && type->resource->kind == kind;
  });
  return found == types_.end() ? nullptr : *found;
}

const TypeDescriptor* Scheme::FindResource(std::string_view group, std::string_view version,
                                           std::string_view resource) const {
  MutexLock lock(mutex_);
  const auto found = std::find_if(types_.begin(), types_.end(), [&](const TypeDescriptor* type) {
    return InGroupVersion(*type, group, version) && type->resource->resource == resource;
  });
  return found == types_.end() ? nullptr : *found;
}

std::vector<const TypeDescriptor*> Scheme::TypesOf(std::string_view group, std::string_view version,
                                                   std::string_view kind) const {
  MutexLock lock(mutex_);
  std::vector<const TypeDescriptor*> types;
  std::copy_if(types_.begin(), types_.end(), std::back_inserter(types),
               [&](const TypeDescriptor* type) {
                 return InGroupVersion(*type, group, version) && type->resource->kind == kind;
               });
  return types;
}

}  // namespace capstan
