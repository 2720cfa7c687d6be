#include "review_server.h"

#include <optional>

#include <capstan/api/raw_json.h>
#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

// The answer of kube-apiserver to a review: the request with a status, without a name.
testing::ScriptedAnswer Reviewed(const RawJson& review, const std::string& status) {
  return testing::JsonAnswer(
      201,
      std::string(review.With("/metadata", RawJson::Parse(R"({"creationTimestamp":null})").value())
                      .With("/status", RawJson::Parse(status).value())
                      .text()));
}

}  // namespace

ReviewServer::ReviewServer(Runtime& runtime)
    : transport(std::make_shared<testing::ScriptedTransport>(runtime)) {
  for (const auto& [method, target] :
       {std::pair{"POST", kTokenReviews}, std::pair{"POST", kAccessReviews},
        std::pair{"GET", kTrustPath}}) {
    transport->OnEvery(method, target, [this](const HttpRequest& request) {
      testing::ScriptedAnswer answer = failure ? *failure : Answer(request);
      answer.delay = delay;
      return answer;
    });
  }
}

testing::ScriptedAnswer ReviewServer::Answer(const HttpRequest& request) const {
  if (request.method == "GET") {
    if (config_map.empty()) return testing::StatusAnswer(404, "NotFound");
    StringMap data;
    for (const auto& [key, value] : config_map) data.Set(key, value);
    return testing::JsonAnswer(
        200,
        Format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":)"
               R"("extension-apiserver-authentication","namespace":"kube-system"}},"data":{}}})",
               RawJson::Object(data).text()));
  }
  const RawJson review = RawJson::Parse(request.body).value();
  if (request.target == kTokenReviews) {
    const auto found = tokens.find(review.StringAt("/spec/token").value());
    return Reviewed(review, found == tokens.end()
                                ? R"({"authenticated":false,"error":"invalid bearer token"})"
                                : found->second);
  }
  const std::string right = review.StringAt("/spec/user").value() + " " +
                            review.StringAt("/spec/nonResourceAttributes/verb").value() + " " +
                            review.StringAt("/spec/nonResourceAttributes/path").value();
  return Reviewed(review, rights.contains(right) ? R"({"allowed":true,"reason":"RBAC: allowed"})"
                                                 : R"({"allowed":false})");
}

std::string TokenOf(const std::string& user, const std::string& groups_json) {
  return Format(R"({{"authenticated":true,"user":{{"username":"{}","uid":"uid-{}","groups":{}}}}})",
                user, user, groups_json);
}

}  // namespace capstan::manager
