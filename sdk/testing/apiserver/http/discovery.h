#pragma once

/// Serves the documents that describe the server: /version, /api, /apis (also aggregated,
/// KEP-3352), /openapi/v3 and health. It also serves access reviews, which allow everything.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/http/request.h"
#include "apiserver/print/table.h"

namespace capstan::testing::server {

struct DocumentAnswer {
  int code = 200;
  std::string content_type = "application/json";
  std::string body;
};

/// Threads: all methods may be called from any thread.
class Discovery {
 public:
  explicit Discovery(const ResourceCatalog& catalog);
  ~Discovery();
  /// Serves a path that is not a resource path. Returns nullopt if there is no such document.
  std::optional<DocumentAnswer> Serve(std::string_view method, const Target& target,
                                      std::string_view accept, std::string_view body,
                                      const User& user);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing::server
