#include "access/token_review_authenticator.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <capstan/log/log.h>

#include "access/reviews.h"
#include "base/text/ascii.h"
#include "base/tls/sha256.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kAuthorization = "Authorization";
constexpr std::string_view kBearer = "Bearer ";

/// Accepts the characters of RFC 6750's b64token, and others that tokens in files may contain.
bool IsTokenText(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

Status InvalidToken(std::string why) { return {StatusReason::kUnauthorized, std::move(why)}; }

/// Returns the token of the only Authorization header, or nullopt without such a header.
Result<std::optional<std::string_view>> TokenOf(const http::ServerRequest& request) {
  std::optional<std::string_view> token;
  for (const auto& [name, value] : request.headers) {
    if (!text::EqualIgnoringCase(name, kAuthorization)) continue;
    if (token) return InvalidToken("several Authorization headers");
    std::string_view text = text::Trimmed(value, " \t");
    if (text.size() <= kBearer.size() ||
        !text::EqualIgnoringCase(text.substr(0, kBearer.size()), kBearer)) {
      return InvalidToken("the Authorization header has no bearer token");
    }
    text.remove_prefix(kBearer.size());
    if (text.size() > TokenReviewAuthenticator::kLongestToken) {
      return InvalidToken("the bearer token is too long");
    }
    if (!IsTokenText(text)) return InvalidToken("the Authorization header is malformed");
    token = text;
  }
  return token;
}

}  // namespace

TokenReviewAuthenticator::TokenReviewAuthenticator(ReviewClient* client, Duration ttl,
                                                   Runtime& runtime)
    : client_(client), ttl_(ttl), cache_(runtime, kMaxCached) {}

Result<std::optional<UserInfo>> TokenReviewAuthenticator::Authenticate(
    const http::ServerRequest& request) {
  const auto token = TokenOf(request);
  if (!token) return token.status();
  if (!*token) return std::optional<UserInfo>();
  if (!client_) return InvalidToken("bearer tokens are not accepted");
  const std::string text(**token);
  auto user = cache_.Get(tls::Sha256(text), [&] { return Review(text); });
  if (user && !*user) return InvalidToken("invalid bearer token");
  return user;
}

TokenReviewAuthenticator::Cache::Asked TokenReviewAuthenticator::Review(const std::string& token) {
  TokenReview review;
  review.spec.token = token;
  const auto answer = client_->Review(review);
  Report(answer.status());
  if (!answer) return {.answer = answer.status()};
  const ReviewedUser& reviewed = (*answer)->status.user;
  if (!(*answer)->status.authenticated || reviewed.username.empty()) {
    return {.answer = std::optional<UserInfo>(), .ttl = std::min(ttl_, kRefusedTtl)};
  }
  return {
      .answer = std::optional(UserInfo{.name = reviewed.username,
                                       .uid = reviewed.uid,
                                       .groups = {reviewed.groups.begin(), reviewed.groups.end()},
                                       .extra = reviewed.extra}),
      .granted = true,
      .ttl = ttl_};
}

/// Logs only the first of consecutive failures as an error, because any client can cause them. A
/// message may quote the request, and so the token, unless the error has one of the reasons below.
void TokenReviewAuthenticator::Report(const Status& status) {
  if (status.IsCanceled()) return;
  if (status.ok()) {
    if (fails_.exchange(false)) LogInfo("Token reviews succeed again");
    return;
  }
  const bool tells = status.IsForbidden() || status.IsUnauthorized() || status.IsTransport();
  const Status error =
      tells ? status : Status(status.reason(), "withheld, as it may contain a token");
  if (!fails_.exchange(true)) {
    LogError(error, "Failed to make webhook authenticator request", {{"code", status.http_code()}});
  } else {
    LogV(4, "Failed to make webhook authenticator request",
         {{"err", error}, {"code", status.http_code()}});
  }
}

}  // namespace capstan::manager
