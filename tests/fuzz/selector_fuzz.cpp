// Input: the query of a list of pods.

#include "apiserver/http/request.h"
#include "apiserver/schema/resource.h"
#include "apiserver/storage/reader.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(selector) {
  using namespace capstan;
  using namespace capstan::testing::server;
  static const ResourceCatalog catalog;
  static const json::Value pod =
      json::ParseValue(R"({"metadata":{"name":"a","namespace":"b","labels":{"app":"web","n":"7"}},)"
                       R"("spec":{"nodeName":"n"},"status":{"phase":"Running"}})")
          ->value;
  auto query = Query::Parse(input);
  if (!query.ok()) return;
  ApiRequest request;
  request.verb = "list";
  request.resource = catalog.Find("", "v1", "pods");
  request.query = *std::move(query);
  const auto filter = ObjectFilter::Of(request);
  if (!filter.ok()) return;
  if (filter->MatchesAll()) {
    fuzz::Require(filter->Matches(pod), "a filter that matches all matches a pod");
  }
  filter->Matches(json::Value());
}
