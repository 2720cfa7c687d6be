#pragma once

/// Serves get and list.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/request.h"
#include "apiserver/storage/selector.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

/// Selects the objects of a list or watch.
class ObjectFilter {
 public:
  /// Reads labelSelector and fieldSelector. Errors: BadRequest with the API's text.
  static Result<ObjectFilter> Of(const ApiRequest& request);
  /// `object` is in its stored form.
  bool Matches(const json::Value& object) const;
  bool MatchesAll() const { return labels_.MatchesAll() && fields_.terms().empty(); }

 private:
  friend struct ListOptions;
  // The second step of Of: checks that the kind supports the fields.
  Status BindTo(const ApiRequest& request);

  const Resource* resource_ = nullptr;
  LabelSelector labels_;
  FieldSelector fields_;
};

/// The parameters of a list or watch.
struct ListOptions {
  /// Errors: BadRequest and Invalid.
  static Result<ListOptions> Of(const ApiRequest& request);
  /// Parses `resource_version`. The error has the API's text.
  Result<uint64_t> Version() const { return ParseResourceVersion(resource_version); }

  ObjectFilter filter;
  std::string resource_version;
  std::string resource_version_match;  ///< "", "Exact" or "NotOlderThan"
  int64_t limit = 0;                   ///< 0 = none
  std::string continue_token;
  /// For watches only.
  bool allow_bookmarks = false;
  std::optional<int64_t> timeout_seconds;
  std::optional<bool> send_initial_events;
};

class Reader {
 public:
  explicit Reader(const Store& store) : store_(store) {}

  /// resourceVersion "" and "0" read the newest state. A version newer than the current one is a
  /// Timeout.
  Result<ApiAnswer> Get(const ApiRequest& request) const;

  /// The contents of a list. The objects are separate from the envelope, so that they can be
  /// printed as JSON, as a table, or from their stored texts.
  struct Page {
    std::vector<StoredObjectPtr> objects;
    std::string resource_version;
    std::string continue_token;
    std::optional<int64_t> remaining;
  };
  Result<Page> List(const ApiRequest& request) const;
  /// Returns the token that accompanies the Expired error of a list whose continue token is too
  /// old. It continues the list in the newest state. "" if the request has no valid token.
  static std::string TokenForNewest(const ApiRequest& request);

 private:
  Result<Snapshot> SnapshotFor(const ApiRequest& request, const ListOptions& options,
                               std::string& start) const;

  const Store& store_;
};

}  // namespace capstan::testing::server
