#pragma once

/// AccessAuthorizer: what somebody may ask for. Members of system:masters may ask for anything; all
/// others as the API server answers a SubjectAccessReview
/// (https://kubernetes.io/docs/reference/access-authn-authz/authorization/). Answers are kept,
/// failures are not.
///
/// Threads: all methods from any thread. It waits for the API server, at most
/// ReviewClient::kDeadline.

#include <atomic>
#include <cstddef>
#include <string>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "access/review_cache.h"
#include "access/review_client.h"
#include "access/user_info.h"
#include "config/options.h"

namespace capstan::manager {

class AccessAuthorizer {
 public:
  static constexpr size_t kMostKept = 4096;  ///< granted, and as many refused

  struct Decision {
    bool allowed = false;
    std::string reason;  ///< in the API server's words
  };

  /// `client` null: only system:masters are allowed anything. It must outlive this.
  AccessAuthorizer(const AuthorizationOptions& options, ReviewClient* client, Runtime& runtime);

  /// An error: there is no decision, which must not count as leave.
  Result<Decision> Authorize(const UserInfo& user, const std::string& verb,
                             const std::string& path);

  size_t kept() const { return cache_.size(); }

 private:
  using Cache = ReviewCache<Decision>;
  void Report(const Status& status);

  ReviewClient* const client_;
  const Duration authorized_ttl_;
  const Duration unauthorized_ttl_;
  Cache cache_;
  std::atomic<bool> fails_ = false;
};

}  // namespace capstan::manager
