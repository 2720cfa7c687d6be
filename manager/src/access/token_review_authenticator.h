#pragma once

/// TokenReviewAuthenticator: who asks by the bearer token of the request, which the API server
/// reviews
/// (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication).
///
/// Answers are kept by the token's SHA-256, never the token; refusals shorter. Failed reviews are
/// not kept. No token is logged, nor what the API server says of one.
///
/// Threads: all methods from any thread. It waits for the API server, at most
/// ReviewClient::kDeadline.

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "access/review_cache.h"
#include "access/review_client.h"
#include "access/user_info.h"
#include "base/http/mux.h"

namespace capstan::manager {

class TokenReviewAuthenticator {
 public:
  static constexpr size_t kMostKept = 1024;                   ///< granted, and as many refused
  static constexpr size_t kLongestToken = size_t{64} * 1024;  ///< bytes
  static constexpr Duration kRefusedTtl = std::chrono::seconds(5);  ///< or `ttl` when it is less

  /// `client` null: every token is refused. It must outlive this.
  TokenReviewAuthenticator(ReviewClient* client, Duration ttl, Runtime& runtime);

  /// nullopt: there is no Authorization header. Unauthorized: it is malformed, or its token is
  /// refused. Other errors: the token could not be reviewed.
  Result<std::optional<UserInfo>> Authenticate(const http::ServerRequest& request);

  size_t kept() const { return cache_.size(); }

 private:
  using Cache = ReviewCache<std::optional<UserInfo>>;
  Cache::Asked Review(const std::string& token);
  void Report(const Status& status);

  ReviewClient* const client_;
  const Duration ttl_;
  Cache cache_;
  std::atomic<bool> fails_ = false;
};

}  // namespace capstan::manager
