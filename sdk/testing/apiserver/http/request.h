#pragma once

/// An HTTP request parsed into the API's terms.

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
  std::string uid;
  std::vector<std::string> groups;
};

/// The unescaped parameters after the '?', in their original order.
class Query {
 public:
  /// Errors: Malformed, for a bad escape; BadRequest.
  static Result<Query> Parse(std::string_view text);

  /// Returns the first value, or "".
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  /// Reads a boolean as the API does: an absent parameter, "0" and "false" are false. All other
  /// values, including an empty one, are true.
  bool GetBool(std::string_view name) const;
  /// Returns nullopt if the parameter is absent. Errors: BadRequest if it is not a number.
  Result<std::optional<int64_t>> GetInteger(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

struct ApiRequest {
  /// get, list, watch, create, update, patch, apply, delete, deletecollection.
  std::string verb;
  const Resource* resource = nullptr;
  std::string namespace_;   ///< "" = all namespaces, or the resource is not namespaced
  std::string name;         ///< "" for collections
  std::string subresource;  ///< "status", "scale", "binding", ...
  Query query;
  std::string_view body;
  std::string content_type;  ///< without parameters, lower case
  std::string accept;
  std::string user_agent;
  User user;
};

/// The response to a request that is not a watch (for watches see watch.h).
struct ApiAnswer {
  int code = 200;
  json::Value object;
};

/// A target split into unescaped path segments and its query. Errors: Malformed, for a bad escape;
/// BadRequest.
struct Target {
  std::vector<std::string> segments;
  Query query;
};
Result<Target> ParseTarget(std::string_view target);

/// Parses a resourceVersion; "" is 0. The error has the API's text. The caller sets its code, which
/// differs between verbs.
Result<uint64_t> ParseResourceVersion(std::string_view text);

}  // namespace capstan::testing::server
