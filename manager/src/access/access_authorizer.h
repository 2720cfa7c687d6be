#pragma once

/// AccessAuthorizer: authorizes requests. Members of system:masters may do anything. For all other
/// users the API server answers a SubjectAccessReview
/// (https://kubernetes.io/docs/reference/access-authn-authz/authorization/). Answers are cached,
/// errors are not.
///
/// Threads: all methods may be called from any thread. Authorize waits for the API server, at most
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
  static constexpr size_t kMaxCached = 4096;  ///< allowed requests, and as many denied ones

  struct Decision {
    bool allowed = false;
    std::string reason;  ///< as given by the API server
  };

  /// If `client` is null, only members of system:masters are allowed. `client` must outlive this
  /// object.
  AccessAuthorizer(const AuthorizationOptions& options, ReviewClient* client, Runtime& runtime);

  /// An error means that there is no decision. The caller must then not allow the request.
  Result<Decision> Authorize(const UserInfo& user, const std::string& verb,
                             const std::string& path);

  size_t cached_answers() const { return cache_.size(); }

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
