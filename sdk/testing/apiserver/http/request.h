#pragma once

// A request as the API understands it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

struct User {
  std::string name;
  std::vector<std::string> groups;
};

// The parameters after the '?', unescaped, in their order.
class Query {
 public:
  // Errors: Malformed, for a bad escape; BadRequest.
  static Result<Query> Parse(std::string_view text);

  // The first value, or "".
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  // As the API reads booleans: absent, "0" and "false" are false, all other text (also none) is
  // true.
  bool GetBool(std::string_view name) const;
  // Nothing when it is absent. Errors: BadRequest, when it is no number.
  Result<std::optional<int64_t>> GetInteger(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

struct ApiRequest {
  // get, list, watch, create, update, patch, apply, delete, deletecollection.
  std::string verb;
  const Resource* resource = nullptr;
  std::string namespace_;   // "" = all, or not namespaced
  std::string name;         // "" for collections
  std::string subresource;  // "status", "scale", "binding", ...
  Query query;
  std::string_view body;
  std::string content_type;  // without parameters, lower case
  std::string accept;
  std::string user_agent;
  User user;
};

// What a request is answered with, unless it is a stream (watch.h).
struct ApiAnswer {
  int code = 200;
  json::Value object;
};

// A target split into unescaped path segments and its query. Errors: Malformed, for a bad escape;
// BadRequest.
struct Target {
  std::vector<std::string> segments;
  Query query;
};
Result<Target> ParseTarget(std::string_view target);

// A resourceVersion as a number; "" is 0. The error's text is the API's; its code is the caller's
// affair, since it differs from verb to verb.
Result<uint64_t> ParseResourceVersion(std::string_view text);

}  // namespace capstan::testing::server
