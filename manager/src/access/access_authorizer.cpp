#include "access/access_authorizer.h"

#include <algorithm>

#include <capstan/log/log.h>

#include "access/reviews.h"
#include "base/tls/sha256.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kMasters = "system:masters";

AccessReview AccessReviewOf(const UserInfo& user, const std::string& verb,
                            const std::string& path) {
  AccessReview review;
  review.spec.nonResourceAttributes = {.path = path, .verb = verb};
  review.spec.user = user.name;
  for (const std::string& group : user.groups) review.spec.groups.push_back(group);
  review.spec.uid = user.uid;
  review.spec.extra = user.extra;
  return review;
}

}  // namespace

AccessAuthorizer::AccessAuthorizer(const AuthorizationOptions& options, ReviewClient* client,
                                   Runtime& runtime)
    : client_(client),
      authorized_ttl_(options.authorized_ttl),
      unauthorized_ttl_(options.unauthorized_ttl),
      cache_(runtime, kMaxCached) {}

Result<AccessAuthorizer::Decision> AccessAuthorizer::Authorize(const UserInfo& user,
                                                               const std::string& verb,
                                                               const std::string& path) {
  const auto& groups = user.groups;
  if (std::find(groups.begin(), groups.end(), kMasters) != groups.end()) {
    return Decision{.allowed = true, .reason = {}};
  }
  if (!client_) return Decision{};
  const AccessReview review = AccessReviewOf(user, verb, path);
  const std::string spec = ToJson(review.spec);
  // The API server would replace invalid characters, and so judge a different user.
  if (!RawJson::Parse(spec)) return Decision{.allowed = false, .reason = "not valid UTF-8"};
  return cache_.Get(tls::Sha256(spec), [&]() -> Cache::Asked {
    const auto answer = client_->Review(review);
    Report(answer.status());
    if (!answer) return {.answer = answer.status()};
    const AccessReviewStatus& status = (*answer)->status;
    const bool allowed = status.allowed && !status.denied;
    return {.answer = Decision{.allowed = allowed, .reason = status.reason},
            .granted = allowed,
            .ttl = allowed ? authorized_ttl_ : unauthorized_ttl_};
  });
}

/// Logs the first of consecutive failures as an error.
void AccessAuthorizer::Report(const Status& status) {
  if (status.IsCanceled()) return;
  if (status.ok()) {
    if (fails_.exchange(false)) LogInfo("Access reviews succeed again");
  } else if (!fails_.exchange(true)) {
    LogError(status, "Failed to make webhook authorizer request");
  } else {
    LogV(4, "Failed to make webhook authorizer request", {{"err", status}});
  }
}

}  // namespace capstan::manager
