#include "apiserver/http/group_discovery.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "apiserver/storage/object_fields.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

using json::Value;

const std::vector<std::string> kCreateOnly = {"create"};

// Orders versions: v2, v1, v1beta2, v1beta1, v1alpha1, then other names.
std::tuple<int, int, int> VersionRank(std::string_view version) {
  if (!version.starts_with('v')) return {0, 0, 0};
  const char* const end = version.data() + version.size();
  int major = 0;
  const auto [after, error] = std::from_chars(version.data() + 1, end, major);
  if (error != std::errc()) return {0, 0, 0};
  std::string_view stage(after, static_cast<size_t>(end - after));
  if (stage.empty()) return {3, major, 0};
  const bool beta = stage.starts_with("beta");
  if (!beta && !stage.starts_with("alpha")) return {0, 0, 0};
  stage.remove_prefix(beta ? 4 : 5);
  int minor = 0;
  std::from_chars(stage.data(), end, minor);
  return {beta ? 2 : 1, major, minor};
}

DiscoveredResource Review(std::string kind, bool namespaced = false) {
  const std::string singular = text::Lower(kind);
  return {.name = singular + "s",
          .singular = singular,
          .kind = std::move(kind),
          .namespaced = namespaced,
          .verbs = kCreateOnly};
}

std::vector<DiscoveredGroup> ReviewGroups() {
  return {{"authentication.k8s.io", {{"v1", {Review("SelfSubjectReview"), Review("TokenReview")}}}},
          {"authorization.k8s.io",
           {{"v1",
             {Review("LocalSubjectAccessReview", /*namespaced=*/true),
              Review("SelfSubjectAccessReview"), Review("SelfSubjectRulesReview"),
              Review("SubjectAccessReview")}}}}};
}

std::vector<DiscoveredSubresource> SubresourcesOf(const Resource& resource) {
  std::vector<DiscoveredSubresource> all;
  for (const Subresource& part : resource.subresources) {
    all.push_back({part.name, part.kind, part.verbs});
  }
  return all;
}

DiscoveredResource Describe(const Resource& resource) {
  return {resource.name,  resource.singular,    resource.kind,       resource.namespaced,
          resource.verbs, resource.short_names, resource.categories, SubresourcesOf(resource)};
}

// Returns the element with this name. Adds it if there is none.
template <class T, class Name>
T& Named(std::vector<T>& all, Name T::*name, const std::string& wanted) {
  for (T& one : all) {
    if (one.*name == wanted) return one;
  }
  all.push_back({});
  all.back().*name = wanted;
  return all.back();
}

void Sort(DiscoveredGroup& group) {
  std::stable_sort(group.versions.begin(), group.versions.end(), [](const auto& a, const auto& b) {
    return VersionRank(a.version) > VersionRank(b.version);
  });
  for (DiscoveredVersion& version : group.versions) {
    std::sort(version.resources.begin(), version.resources.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
}

Value VersionEntry(const DiscoveredGroup& group, const DiscoveredVersion& version) {
  return Value::Object({{"groupVersion", GroupVersionName(group.name, version.version)},
                        {"version", version.version}});
}

Value GroupEntry(const DiscoveredGroup& group) {
  Value versions = Value::Array();
  for (const DiscoveredVersion& version : group.versions) {
    versions.Append(VersionEntry(group, version));
  }
  return Value::Object({{"name", group.name},
                        {"versions", std::move(versions)},
                        {"preferredVersion", VersionEntry(group, group.versions.front())}});
}

void SetUnlessEmpty(Value& object, std::string_view name, const std::vector<std::string>& texts) {
  if (!texts.empty()) object.Set(name, ArrayOf(texts));
}

Value SubresourceEntry(const DiscoveredGroup& group, const DiscoveredVersion& version,
                       const DiscoveredResource& resource, const DiscoveredSubresource& sub) {
  Value entry = Value::Object({{"name", resource.name + "/" + sub.name},
                               {"singularName", ""},
                               {"namespaced", resource.namespaced},
                               {"kind", sub.kind.kind},
                               {"verbs", ArrayOf(sub.verbs)}});
  if (sub.kind.group != group.name || sub.kind.version != version.version) {
    entry.Set("group", sub.kind.group);
    entry.Set("version", sub.kind.version);
  }
  return entry;
}

Value KindEntry(const KindName& kind) {
  return Value::Object({{"group", kind.group}, {"version", kind.version}, {"kind", kind.kind}});
}

Value AggregatedResource(const DiscoveredGroup& group, const DiscoveredVersion& version,
                         const DiscoveredResource& resource) {
  Value entry =
      Value::Object({{"resource", resource.name},
                     {"responseKind", KindEntry({group.name, version.version, resource.kind})},
                     {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", resource.singular},
                     {"verbs", ArrayOf(resource.verbs)}});
  SetUnlessEmpty(entry, "shortNames", resource.short_names);
  SetUnlessEmpty(entry, "categories", resource.categories);
  for (const DiscoveredSubresource& sub : resource.subresources) {
    entry.Mutable("subresources")
        .Append(Value::Object({{"subresource", sub.name},
                               {"responseKind", KindEntry(sub.kind)},
                               {"verbs", ArrayOf(sub.verbs)}}));
  }
  return entry;
}

Value AggregatedGroup(const DiscoveredGroup& group) {
  Value versions = Value::Array();
  for (const DiscoveredVersion& version : group.versions) {
    Value resources = Value::Array();
    for (const DiscoveredResource& resource : version.resources) {
      resources.Append(AggregatedResource(group, version, resource));
    }
    versions.Append(Value::Object({{"version", version.version},
                                   {"resources", std::move(resources)},
                                   {"freshness", "Current"}}));
  }
  Value metadata = Value::Object();
  if (!group.name.empty()) metadata.Set("name", group.name);
  return Value::Object({{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
}

}  // namespace

std::string GroupVersionName(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::vector<DiscoveredGroup> DiscoverGroups(const ResourceCatalog& catalog) {
  std::vector<DiscoveredGroup> groups = ReviewGroups();
  for (const Resource* resource : catalog.All()) {
    DiscoveredGroup& group = Named(groups, &DiscoveredGroup::name, resource->group);
    Named(group.versions, &DiscoveredVersion::version, resource->version)
        .resources.push_back(Describe(*resource));
  }
  for (DiscoveredGroup& group : groups) Sort(group);
  return groups;
}

Value ApiVersionsDocument() {
  return Value::Object({{"kind", "APIVersions"},
                        {"versions", Value::Array({"v1"})},
                        {"serverAddressByClientCIDRs", Value::Array()}});
}

Value GroupListDocument(const std::vector<DiscoveredGroup>& groups) {
  Value entries = Value::Array();
  for (const DiscoveredGroup& group : groups) {
    if (!group.name.empty()) entries.Append(GroupEntry(group));
  }
  return Value::Object(
      {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(entries)}});
}

Value GroupDocument(const DiscoveredGroup& group) {
  Value document = GroupEntry(group);
  document.Set("kind", "APIGroup");
  document.Set("apiVersion", "v1");
  return document;
}

Value ResourceListDocument(const DiscoveredGroup& group, const DiscoveredVersion& version) {
  Value resources = Value::Array();
  for (const DiscoveredResource& resource : version.resources) {
    Value entry = Value::Object({{"name", resource.name},
                                 {"singularName", resource.singular},
                                 {"namespaced", resource.namespaced},
                                 {"kind", resource.kind},
                                 {"verbs", ArrayOf(resource.verbs)}});
    SetUnlessEmpty(entry, "shortNames", resource.short_names);
    SetUnlessEmpty(entry, "categories", resource.categories);
    resources.Append(std::move(entry));
    for (const DiscoveredSubresource& sub : resource.subresources) {
      resources.Append(SubresourceEntry(group, version, resource, sub));
    }
  }
  return Value::Object({{"kind", "APIResourceList"},
                        {"apiVersion", "v1"},
                        {"groupVersion", GroupVersionName(group.name, version.version)},
                        {"resources", std::move(resources)}});
}

Value AggregatedDocument(const std::vector<DiscoveredGroup>& groups, bool core) {
  Value items = Value::Array();
  for (const DiscoveredGroup& group : groups) {
    if (group.name.empty() == core) items.Append(AggregatedGroup(group));
  }
  return Value::Object({{"kind", "APIGroupDiscoveryList"},
                        {"apiVersion", "apidiscovery.k8s.io/v2"},
                        {"metadata", Value::Object()},
                        {"items", std::move(items)}});
}

}  // namespace capstan::testing::server
