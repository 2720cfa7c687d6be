#include "access/access_guard.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <capstan/api/raw_json.h>
#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "access/access_authorizer.h"
#include "access/allowed_paths.h"
#include "access/client_certificate_authenticator.h"
#include "access/request_header_authenticator.h"
#include "access/review_client.h"
#include "access/token_review_authenticator.h"
#include "access/trust_source.h"
#include "access/user_info.h"
#include "base/json/json_text.h"
#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kAnonymous = "system:anonymous";
constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kUnauthenticated = "system:unauthenticated";

/// A v1 Status, as in the refusals of kube-apiserver.
http::ServerResponse StatusRefusal(int code, StatusReason reason, const std::string& message) {
  return {
      .status = code,
      .content_type = "application/json",
      .body = Format(R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure",)"
                     R"("message":{},"reason":"{}","code":{}}})"
                     "\n",
                     json::Quoted(message), StatusReasonName(reason), code)};
}

http::ServerResponse UnauthorizedRefusal() {
  return StatusRefusal(401, StatusReason::kUnauthorized, "Unauthorized");
}

http::ServerResponse BusyRefusal() {
  http::ServerResponse response =
      StatusRefusal(429, StatusReason::kTooManyRequests,
                    "too many requests are waiting for the API server, try again later");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

/// As AuthenticatedGroupAdder of k8s.io/apiserver does.
void AddAuthenticatedGroup(UserInfo& user) {
  if (user.name == kAnonymous) return;
  for (const std::string& group : user.groups) {
    if (group == kAuthenticated || group == kUnauthenticated) return;
  }
  user.groups.emplace_back(kAuthenticated);
}

std::unique_ptr<ReviewClient> NewReviewClient(AccessGuard::Server server, std::string prefix,
                                              Runtime& runtime, MetricsRegistry& metrics) {
  if (!server.transport) return nullptr;
  return std::make_unique<ReviewClient>(std::move(server.transport), std::move(server.host),
                                        std::move(prefix), runtime, metrics);
}

}  // namespace

struct AccessGuard::Impl {
  Impl(const AuthenticationOptions& authentication, const AuthorizationOptions& authorization,
       Server authentication_server, Server authorization_server, Runtime& runtime_of_calls,
       MetricsRegistry& metrics_registry)
      : options(authorization),
        runtime(runtime_of_calls),
        metrics(metrics_registry),
        authentication_client(NewReviewClient(std::move(authentication_server),
                                              "apiserver_delegated_authn", runtime, metrics)),
        authorization_client(NewReviewClient(std::move(authorization_server),
                                             "apiserver_delegated_authz", runtime, metrics)),
        tokens(authentication_client.get(), authentication.token_cache_ttl, runtime),
        authorizer(authorization, authorization_client.get(), runtime),
        trust_source(authentication, authentication_client.get(), runtime) {}

  Status Start() {
    auto paths = AllowedPaths::Parse(options.always_allow_paths);
    if (!paths) return paths.status();
    allowed = *std::move(paths);
    return trust_source.Start();
  }

  void Stop() {
    if (authentication_client) authentication_client->Stop();
    if (authorization_client) authorization_client->Stop();
    trust_source.Stop();
  }

  http::ServerResponse Serve(const http::ServerRequest& request, const http::Mux::Handler& next) {
    const auto trust = trust_source.Current();
    std::string path = CleanPath(request.path);
    if (!allowed.Matches(path)) {
      if (auto refusal = Refuse(request, *trust, path)) return *std::move(refusal);
    }
    http::ServerRequest passed = request;
    passed.path = std::move(path);
    std::erase_if(passed.headers, [&](const auto& header) {
      return text::EqualIgnoringCase(header.first, "Authorization") ||
             IsIdentityHeader(trust->request_header, header.first);
    });
    return next(passed);
  }

  /// Returns nullopt if the user may have the page.
  std::optional<http::ServerResponse> Refuse(const http::ServerRequest& request, const Trust& trust,
                                             const std::string& path) {
    auto user = Authenticate(request, trust);
    CountAttempt("authentication_attempts", "Number of authentication attempts by result.",
                 user                             ? "success"
                 : user.status().IsUnauthorized() ? "failure"
                                                  : "error");
    if (!user) {
      LogV(4, "Unable to authenticate the request",
           {{"err", user.status()}, {"path", path}, {"remoteAddress", request.remote_address}});
      return user.status().IsTooManyRequests() ? BusyRefusal() : UnauthorizedRefusal();
    }
    AddAuthenticatedGroup(*user);
    return RefuseUser(*user, text::Lower(request.method), path, request.remote_address);
  }

  std::optional<http::ServerResponse> RefuseUser(const UserInfo& user, const std::string& verb,
                                                 const std::string& path,
                                                 const std::string& remote_address) {
    const auto decision = authorizer.Authorize(user, verb, path);
    CountAttempt("authorization_attempts_total", "Number of authorization attempts by result.",
                 !decision           ? "error"
                 : decision->allowed ? "allowed"
                                     : "denied");
    if (decision && decision->allowed) return std::nullopt;
    LogV(4, "Forbidden",
         {{"user", user.name},
          {"verb", verb},
          {"path", path},
          {"remoteAddress", remote_address},
          {"reason", decision ? decision->reason : decision.status().ToString()}});
    if (!decision) {
      if (decision.status().IsTooManyRequests()) return BusyRefusal();
      return StatusRefusal(500, StatusReason::kInternalError, "Internal Server Error");
    }
    std::string message = Format("forbidden: User {} cannot {} path {}", json::Quoted(user.name),
                                 verb, json::Quoted(path));
    if (!decision->reason.empty()) message += ": " + decision->reason;
    return StatusRefusal(403, StatusReason::kForbidden, message);
  }

  /// Returns the first user that a method finds, whatever the methods before it returned. Otherwise
  /// returns an error. Errors that may be temporary take precedence over bad credentials.
  Result<UserInfo> Authenticate(const http::ServerRequest& request, const Trust& trust) {
    const WallTime now = runtime.clock().Now();
    Status error;
    const auto take = [&](Result<std::optional<UserInfo>> found) -> std::optional<UserInfo> {
      if (found) return *std::move(found);
      if (error.ok() || error.IsUnauthorized()) error = found.status();
      return std::nullopt;
    };
    if (auto user = take(AuthenticateByRequestHeader(trust.request_header, request, now))) {
      return *std::move(user);
    }
    if (auto user = take(AuthenticateByCertificate(trust.client_ca.get(), request, now))) {
      return *std::move(user);
    }
    if (auto user = take(tokens.Authenticate(request))) return *std::move(user);
    if (!error.ok()) return error;
    return Status(StatusReason::kUnauthorized, "no credentials");
  }

  void CountAttempt(std::string_view name, std::string_view help, std::string_view result) {
    metrics.NewCounter(name, help, {{"result", std::string(result)}}).Increment();
  }

  const AuthorizationOptions options;
  Runtime& runtime;
  MetricsRegistry& metrics;
  const std::unique_ptr<ReviewClient> authentication_client;  // may be null
  const std::unique_ptr<ReviewClient> authorization_client;   // may be null
  TokenReviewAuthenticator tokens;
  AccessAuthorizer authorizer;
  TrustSource trust_source;
  AllowedPaths allowed;
};

AccessGuard::AccessGuard(const AuthenticationOptions& authentication,
                         const AuthorizationOptions& authorization, Server authentication_server,
                         Server authorization_server, Runtime& runtime, MetricsRegistry& metrics)
    : impl_(std::make_unique<Impl>(authentication, authorization, std::move(authentication_server),
                                   std::move(authorization_server), runtime, metrics)) {}

AccessGuard::~AccessGuard() { Stop(); }

Status AccessGuard::Start() { return impl_->Start(); }
void AccessGuard::Stop() { impl_->Stop(); }

http::ServerResponse AccessGuard::Serve(const http::ServerRequest& request,
                                        const http::Mux::Handler& next) {
  try {
    return impl_->Serve(request, next);
  } catch (const std::exception& error) {
    LogError(Status(StatusReason::kInternalError, error.what()), "Failed to serve a request");
    return StatusRefusal(500, StatusReason::kInternalError, "Internal Server Error");
  }
}

}  // namespace capstan::manager
