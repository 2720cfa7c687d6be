#include "apiserver/schema/definition.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/strategy/strategies.h"
#include "apiserver/subresource/subresources.h"

namespace capstan::testing::server {
namespace {

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : list.items()) texts.push_back(item.AsString());
  return texts;
}

// The part that all versions share.
Resource CommonOf(const json::Value& definition) {
  const json::Value& spec = definition.Get("spec");
  const json::Value& names = spec.Get("names");
  Resource resource;
  resource.group = spec.Get("group").AsString();
  resource.name = names.Get("plural").AsString();
  resource.singular = names.Get("singular").AsString();
  resource.kind = names.Get("kind").AsString();
  resource.short_names = TextsOf(names.Get("shortNames"));
  resource.categories = TextsOf(names.Get("categories"));
  resource.namespaced = spec.Get("scope").AsString() == "Namespaced";
  resource.storage = resource.QualifiedName();
  resource.traits.unconditional_update = false;
  return resource;
}

Status AddVersion(const json::Value& version, Resource& resource) {
  resource.version = version.Get("name").AsString();
  const json::Value& schema = version.Get("schema", "openAPIV3Schema");
  Result<std::unique_ptr<SchemaSet>> types = SchemaSet::OfCustomResource(resource.kind, schema);
  if (!types.ok()) return types.status();
  resource.own_schema = *std::move(types);
  resource.type = resource.own_schema->Find(resource.kind);
  resource.printer_columns = version.Get("additionalPrinterColumns");

  const json::Value& subresources = version.Get("subresources");
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  const bool has_status = !subresources.Get("status").IsNull();
  const json::Value& scale = subresources.Get("scale");
  if (!scale.IsNull()) {
    resource.subresources.push_back({"scale", verbs, {"autoscaling", "v1", "Scale"}, ServeScale});
    resource.scale_spec_path = scale.Get("specReplicasPath").AsString();
    resource.scale_status_path = scale.Get("statusReplicasPath").AsString();
    resource.scale_selector_path = scale.Get("labelSelectorPath").AsString();
  }
  if (has_status) {
    resource.subresources.push_back(
        {"status", verbs, {resource.group, resource.version, resource.kind}, ServeObjectPart});
  }

  CustomResourceTraits traits;
  traits.schema = std::make_shared<const json::Value>(schema);
  traits.has_status = has_status;
  if (!scale.IsNull()) {
    traits.scale_path = resource.scale_spec_path;
    traits.status_scale_path = resource.scale_status_path;
  }
  for (const json::Value& field : version.Get("selectableFields").items()) {
    const std::string& path = field.Get("jsonPath").AsString();
    if (path.size() > 1 && path.front() == '.') traits.selectable_fields.push_back(path);
  }
  resource.strategy = CustomResourceStrategy(std::move(traits));
  return Status::Ok();
}

}  // namespace

Result<std::vector<Resource>> ResourcesOfDefinition(const json::Value& definition) {
  const Resource common = CommonOf(definition);
  std::vector<Resource> resources;
  for (const json::Value& version : definition.Get("spec", "versions").items()) {
    if (!version.Get("served").AsBool()) continue;
    Resource resource = common;
    if (Status status = AddVersion(version, resource); !status.ok()) return status;
    resources.push_back(std::move(resource));
  }
  return resources;
}

void ApplyDefinition(ResourceCatalog& catalog, const json::Value& definition) {
  Result<std::vector<Resource>> resources = ResourcesOfDefinition(definition);
  if (!resources.ok()) resources = std::vector<Resource>();
  const Resource common = CommonOf(definition);
  bool retires = false;
  for (const Resource* served : catalog.All()) {
    if (served->group != common.group || served->name != common.name) continue;
    // A definition cannot replace a built-in resource.
    if (!served->own_schema) return;
    retires |= std::none_of(resources->begin(), resources->end(), [served](const Resource& one) {
      return one.version == served->version;
    });
  }
  if (retires) catalog.Remove(common.group, common.name);
  for (Resource& resource : *resources) catalog.Add(std::move(resource));
}

void ForgetDefinition(ResourceCatalog& catalog, const json::Value& definition) {
  const Resource common = CommonOf(definition);
  for (const Resource* served : catalog.All()) {
    if (served->group != common.group || served->name != common.name) continue;
    if (served->own_schema) catalog.Remove(common.group, common.name);
    return;
  }
}

}  // namespace capstan::testing::server
