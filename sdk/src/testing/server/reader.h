#pragma once

// get and list.

#include "testing/server/request.h"
#include "testing/server/store.h"

namespace capstan::testing::server {

// Which objects a list or watch is about.
class ObjectFilter {
 public:
  // Of labelSelector and fieldSelector. Errors: BadRequest, with the API's text.
  static Result<ObjectFilter> Of(const ApiRequest& request);
  bool Matches(const json::Value& object) const;
  bool MatchesAll() const;

 private:
  struct LabelTerm;
  struct FieldTerm;
  const Resource* resource_ = nullptr;
  std::string name_;  // of a request for one object by path
  std::vector<std::shared_ptr<const LabelTerm>> labels_;
  std::vector<std::shared_ptr<const FieldTerm>> fields_;
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

 private:
  const Store& store_;
};

}  // namespace capstan::testing::server
