#pragma once

// get and list.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/request.h"
#include "apiserver/storage/selector.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

// Which objects a list or watch is about.
class ObjectFilter {
 public:
  // Of labelSelector and fieldSelector. Errors: BadRequest, with the API's text.
  static Result<ObjectFilter> Of(const ApiRequest& request);
  // `object` is as the store keeps it.
  bool Matches(const json::Value& object) const;
  bool MatchesAll() const { return labels_.MatchesAll() && fields_.terms().empty(); }

 private:
  friend struct ListOptions;
  // The rest of Of: whether the kind knows the fields.
  Status BindTo(const ApiRequest& request);

  const Resource* resource_ = nullptr;
  LabelSelector labels_;
  FieldSelector fields_;
};

// The parameters of a list or watch.
struct ListOptions {
  // Errors: BadRequest and Invalid.
  static Result<ListOptions> Of(const ApiRequest& request);
  // The meaning of `resource_version`; the error's text is the API's.
  Result<uint64_t> Version() const { return ParseResourceVersion(resource_version); }

  ObjectFilter filter;
  std::string resource_version;
  std::string resource_version_match;  // "", "Exact" or "NotOlderThan"
  int64_t limit = 0;                   // 0 = none
  std::string continue_token;
  // Watches only.
  bool allow_bookmarks = false;
  std::optional<int64_t> timeout_seconds;
  std::optional<bool> send_initial_events;
};

class Reader {
 public:
  explicit Reader(const Store& store) : store_(store) {}

  // resourceVersion "" and "0" read the newest; a version of the future is a Timeout.
  Result<ApiAnswer> Get(const ApiRequest& request) const;

  // What a list is: the objects are apart from the envelope, so that they can be printed as JSON,
  // as a table, or from their stored texts.
  struct Page {
    std::vector<StoredObjectPtr> objects;
    std::string resource_version;
    std::string continue_token;
    std::optional<int64_t> remaining;
  };
  Result<Page> List(const ApiRequest& request) const;
  // What goes with the Expired error of a list whose continue token is too old: a token to go on
  // with in the newest state. "" when the request has no valid one.
  static std::string TokenForNewest(const ApiRequest& request);

 private:
  Result<Snapshot> SnapshotFor(const ApiRequest& request, const ListOptions& options,
                               std::string& start) const;

  const Store& store_;
};

}  // namespace capstan::testing::server
