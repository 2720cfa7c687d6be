#pragma once

// ReviewServer: an API server behind a ScriptedTransport that answers TokenReviews and
// SubjectAccessReviews, and serves the ConfigMap extension-apiserver-authentication.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/runtime.h>

#include "support/scripted_transport.h"

namespace capstan::manager {

inline constexpr char kTokenReviews[] = "/apis/authentication.k8s.io/v1/tokenreviews";
inline constexpr char kAccessReviews[] = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
inline constexpr char kTrustPath[] =
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";

struct ReviewServer {
  explicit ReviewServer(Runtime& runtime);

  // The JSON status of the TokenReview of each token.
  std::map<std::string, std::string> tokens;
  // Allowed requests: "jane get /metrics".
  std::set<std::string> rights;
  // The members of the ConfigMap's data. When empty, the ConfigMap does not exist.
  std::map<std::string, std::string> config_map;
  // When set, the answer to every request.
  std::optional<testing::ScriptedAnswer> failure;
  Duration delay = {};

  size_t CountTokenReviews() const { return transport->Count("POST", kTokenReviews); }
  size_t CountAccessReviews() const { return transport->Count("POST", kAccessReviews); }
  size_t CountLookups() const { return transport->Count("GET", kTrustPath); }
  std::string LastBody() const { return transport->Requests().back().body; }

  std::shared_ptr<testing::ScriptedTransport> transport;

 private:
  testing::ScriptedAnswer Answer(const HttpRequest& request) const;
};

// The status of a valid token.
std::string TokenOf(const std::string& user, const std::string& groups_json = "[]");

}  // namespace capstan::manager
