#include "apiserver/subresource/subresources.h"

#include "apiserver/storage/writer.h"

namespace capstan::testing::server {
namespace {

// A row serves the subresource `name` of `resource`, or of all resources that have it. Its verbs
// and kind are facts (schema/facts.h).
struct SubresourceRow {
  std::string_view resource;  // "" = any
  std::string_view name;
  RequestHandler handler;
};

constexpr SubresourceRow kSubresources[] = {
    {"", "status", ServeObjectPart},
    {"", "scale", ServeScale},
    {"v1 namespaces", "finalize", ServeObjectPart},
    {"v1 pods", "binding", ServeBinding},
    {"v1 pods", "eviction", ServeEviction},
    {"v1 serviceaccounts", "token", ServeToken},
    {"certificates.k8s.io/v1 certificatesigningrequests", "approval", ServeObjectPart},
};

}  // namespace

RequestHandler FindHandler(std::string_view resource, std::string_view subresource) {
  for (const SubresourceRow& row : kSubresources) {
    if (row.name == subresource && (row.resource.empty() || row.resource == resource)) {
      return row.handler;
    }
  }
  return nullptr;
}

Result<ApiAnswer> ServeObjectPart(Writer& writer, const ApiRequest& request, Warnings& warnings) {
  return writer.ServeObject(request, warnings);
}

}  // namespace capstan::testing::server
