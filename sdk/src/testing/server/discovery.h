#pragma once

// What clients ask a server about itself: /version, /api, /apis (also aggregated, KEP-3352),
// /openapi/v3, health, and access reviews, which find everything allowed.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "testing/server/request.h"
#include "testing/server/store.h"

namespace capstan::testing::server {

struct DocumentAnswer {
  int code = 200;
  std::string content_type = "application/json";
  std::string body;
};

class Discovery {
 public:
  explicit Discovery(const ResourceCatalog& catalog);
  ~Discovery();
  // The answer to a path that is no resource's, or nothing when there is no such document.
  std::optional<DocumentAnswer> Serve(std::string_view method, const Target& target,
                                      std::string_view accept, std::string_view body,
                                      const User& user);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A meta.k8s.io/v1 Table of objects, as kubectl get asks for it. `include` is includeObject's value:
// "", "Metadata", "Object" or "None". `now` is for ages.
json::Value TableOf(const Resource& resource, const std::vector<const json::Value*>& objects,
                    const json::Value& list_metadata, std::string_view include, WallTime now);

}  // namespace capstan::testing::server
