#include "playground/exchange.h"

#include <openssl/crypto.h>

#include <string_view>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::playground {
namespace {

constexpr size_t kMostAnswered = size_t{1} << 30;
constexpr int kTooLarge = 413;

constexpr std::string_view kForwarded[] = {"Audit-Id",    "Cache-Control", "ETag",   "Location",
                                           "Retry-After", "Vary",          "Warning"};

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// Paths that probes request without a token.
bool IsPublic(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (std::string_view open : {"/healthz", "/livez", "/readyz", "/version"}) {
    if (path == open) return true;
  }
  return false;
}

bool IsAllowed(const ExchangeContext& context, const http::ServerRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  if (context.token.empty() || IsPublic(request.target)) return true;
  const std::string shown = request.Header("Authorization");
  return shown.starts_with(kBearer) &&
         SameSecret(std::string_view(shown).substr(kBearer.size()), context.token);
}

bool IsWatch(std::string_view target) {
  const size_t query_at = target.find('?');
  if (target.substr(0, query_at).find("/watch/") != std::string_view::npos) return true;
  if (query_at == std::string_view::npos) return false;
  std::string_view query = target.substr(query_at + 1);
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view one = query.substr(0, end);
    if (one == "watch" || (one.starts_with("watch=") && one != "watch=0" && one != "watch=false")) {
      return true;
    }
    query = end == std::string_view::npos ? "" : query.substr(end + 1);
  }
  return false;
}

// Formats a failure of the frontend as an API error.
http::ServerResponse Failure(int code, std::string_view reason, std::string_view message) {
  return {.status = code,
          .content_type = "application/json",
          .body = Format("{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":"
                         "\"Failure\",\"message\":\"{}\",\"reason\":\"{}\",\"code\":{}}}\n",
                         message, reason, code)};
}

http::ServerResponse ShuttingDown() {
  return Failure(503, "ServiceUnavailable", "the server is shutting down");
}

http::ServerResponse HeadOf(const HttpResponse& served) {
  http::ServerResponse response{
      .status = served.status(), .content_type = served.Header("Content-Type"), .body = {}};
  for (std::string_view name : kForwarded) {
    if (std::string value = served.Header(name); !value.empty()) {
      response.headers.emplace_back(name, std::move(value));
    }
  }
  return response;
}

HttpRequest ToHttpRequest(const http::ServerRequest& request) {
  HttpRequest converted;
  converted.method = request.method;
  converted.target = request.target;
  for (const auto& [name, value] : request.headers) {
    if (!text::EqualIgnoringCase(name, "Authorization"))
      converted.headers.emplace_back(name, value);
  }
  converted.body = request.body;
  return converted;
}

http::ServerResponse Answer(ExchangeContext& context, const HttpRequest& request) {
  auto served = context.server.Serve(request, testing::ApiUser{}, context.stop);
  if (!served) return ShuttingDown();
  http::ServerResponse response = HeadOf(**served);
  auto body = ReadAll(**served, kMostAnswered);
  if (!body) return ShuttingDown();
  response.body = *std::move(body);
  return response;
}

http::ServerResponse Watch(ExchangeContext& context, HttpRequest request) {
  request.timeout.reset();
  const auto stream = context.watches.NewStream();
  auto served = context.server.Serve(request, testing::ApiUser{}, stream->closed());
  if (!served) return ShuttingDown();
  http::ServerResponse response = HeadOf(**served);
  if (response.status != 200) {
    auto body = ReadAll(**served, kMostAnswered);
    if (!body) return ShuttingDown();
    response.body = *std::move(body);
    return response;
  }
  response.stream = std::make_shared<http::BodyReader>(stream);
  if (context.watches.Start(*std::move(served), stream)) return response;
  http::ServerResponse busy = Failure(429, "TooManyRequests", "too many watches are open");
  busy.headers.emplace_back("Retry-After", "1");
  return busy;
}

}  // namespace

http::ServerResponse Exchange(ExchangeContext& context, const http::ServerRequest& request) {
  if (request.refusal && request.refusal->status != kTooLarge) return *request.refusal;
  LogV(4, "Request", {{"method", request.method}, {"target", request.target}});
  if (!IsAllowed(context, request)) return Failure(401, "Unauthorized", "Unauthorized");
  if (request.target == "/metrics") {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = DefaultMetrics().Serialize()};
  }
  HttpRequest converted = ToHttpRequest(request);
  // The listener has discarded the body. The API server returns the error with the size limit.
  if (request.refusal) converted.body.assign(context.max_body + 1, ' ');
  if (request.method == "GET" && IsWatch(request.target)) {
    return Watch(context, std::move(converted));
  }
  return Answer(context, converted);
}

}  // namespace capstan::playground
