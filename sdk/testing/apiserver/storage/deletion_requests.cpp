// Writer: delete and deletecollection.

#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/http/write_options.h"
#include "apiserver/schema/conversion.h"
#include "apiserver/storage/reader.h"
#include "apiserver/storage/writer.h"

namespace capstan::testing::server {
namespace {

void WarnOfOrphans(const Resource& resource, const DeleteOptions& options, Warnings& warnings) {
  if (!resource.traits.orphans_by_default) return;
  if (options.propagation_policy || options.orphan_dependents) return;
  warnings.Add(
      std::string("child pods are preserved by default when jobs are deleted; set "
                  "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
                  "suppress this warning"));
}

}  // namespace

Result<ApiAnswer> Writer::Delete(const ApiRequest& request, Warnings& warnings) {
  const Result<DeleteOptions> options = ReadDeleteOptions(request);
  if (!options.ok()) return options.status();
  WarnOfOrphans(*request.resource, *options, warnings);
  Result<Deleted> deleted =
      registry_.Delete(*request.resource, {request.namespace_, request.name}, *options);
  if (!deleted.ok()) return deleted.status();
  const bool cascades = options->orphan_dependents && !*options->orphan_dependents;
  return ApiAnswer{!deleted->removed && cascades ? 202 : 200, std::move(deleted->answer)};
}

Result<ApiAnswer> Writer::DeleteCollection(const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  if (IsNamespaces(resource)) return MethodNotAllowedError({});
  const Result<DeleteOptions> options = ReadDeleteOptions(request);
  if (!options.ok()) return options.status();
  ApiRequest listing = request;
  listing.verb = "list";
  const Result<Reader::Page> page = Reader(registry_.store()).List(listing);
  if (!page.ok()) return page.status();
  WarnOfOrphans(resource, *options, warnings);

  json::Value::Items items;
  items.reserve(page->objects.size());
  for (const StoredObjectPtr& object : page->objects) {
    const json::Value& metadata = object->value().Get("metadata");
    const NamespacedName name{metadata.Get("namespace").AsString(),
                              metadata.Get("name").AsString()};
    const Result<Deleted> deleted = registry_.Delete(resource, name, *options);
    if (!deleted.ok() && !deleted.status().IsNotFound()) return deleted.status();
    json::Value item = FromStored(resource, object->value());
    if (!resource.own_schema) {
      // The list already has the kind of its items.
      item.Erase("apiVersion");
      item.Erase("kind");
    }
    items.push_back(std::move(item));
  }
  json::Value metadata = json::Value::Object({{"resourceVersion", page->resource_version}});
  if (resource.own_schema || !page->continue_token.empty())
    metadata.Set("continue", page->continue_token);
  if (page->remaining) metadata.Set("remainingItemCount", *page->remaining);
  return ApiAnswer{200, json::Value::Object({{"apiVersion", resource.ApiVersion()},
                                             {"items", json::Value::Array(std::move(items))},
                                             {"kind", resource.kind + "List"},
                                             {"metadata", std::move(metadata)}})};
}

}  // namespace capstan::testing::server
