#pragma once

/// TokenReviewAuthenticator: authenticates a user by the bearer token of the request. The API
/// server reviews the token.
/// (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication)
///
/// The cache key is the SHA-256 of the token; the token itself is not stored. Refusals are cached
/// for a shorter time. Failed reviews are not cached. Tokens are not logged, and neither are
/// messages of the API server that may quote one.
///
/// Threads: all methods may be called from any thread. Authenticate waits for the API server, at
/// most ReviewClient::kDeadline.

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
  static constexpr size_t kMaxCached = 1024;  ///< accepted tokens, and as many refused ones
  static constexpr size_t kLongestToken = size_t{64} * 1024;        ///< bytes
  static constexpr Duration kRefusedTtl = std::chrono::seconds(5);  ///< or `ttl` if that is shorter

  /// If `client` is null, every token is refused. `client` must outlive this object.
  TokenReviewAuthenticator(ReviewClient* client, Duration ttl, Runtime& runtime);

  /// Returns nullopt if there is no Authorization header. Returns Unauthorized if the header is
  /// malformed or the token is refused. Other errors mean that the token could not be reviewed.
  Result<std::optional<UserInfo>> Authenticate(const http::ServerRequest& request);

  size_t cached_answers() const { return cache_.size(); }

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
