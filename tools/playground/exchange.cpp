#include "playground/exchange.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <chrono>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>

namespace capstan::playground {
namespace {

using Poco::Net::HTTPServerRequest;
using Poco::Net::HTTPServerResponse;

// From the head of a request to the last byte of its body.
constexpr auto kBodyTimeout = std::chrono::seconds(30);
// Of a body that is too large so much is read and thrown away: a client that is still sending when
// the connection closes never sees the answer.
constexpr size_t kMostDiscarded = size_t{64} * 1024 * 1024;

constexpr std::string_view kForwarded[] = {"Audit-Id", "Cache-Control", "Content-Type",
                                           "ETag",     "Location",      "Retry-After",
                                           "Vary",     "Warning",       "X-Content-Type-Options"};

struct Body {
  std::string text;  // one byte more than the limit when it is too large
  bool complete = true;
};

Body ReadBody(HTTPServerRequest& request, size_t limit) {
  Body body;
  // POCO would read on until the client closes.
  if (!request.hasContentLength() && !request.getChunkedTransferEncoding()) return body;
  std::streambuf& stream = *request.stream().rdbuf();
  const auto deadline = std::chrono::steady_clock::now() + kBodyTimeout;
  size_t total = 0;
  char buffer[1 << 14];
  // As much as there is at a time, so that a client that drips is noticed.
  while (stream.sgetc() != std::streambuf::traits_type::eof()) {
    const auto there = std::clamp<std::streamsize>(stream.in_avail(), 1, sizeof(buffer));
    const auto size = static_cast<size_t>(stream.sgetn(buffer, there));
    total += size;
    if (body.text.size() <= limit) body.text.append(buffer, size);
    if (total > kMostDiscarded || std::chrono::steady_clock::now() > deadline) {
      body.complete = false;
      break;
    }
  }
  if (body.text.size() > limit + 1) body.text.resize(limit + 1);
  if (request.hasContentLength() &&
      static_cast<Poco::Int64>(total) < request.getContentLength64()) {
    body.complete = false;
  }
  return body;
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// What a probe asks before it has a token.
bool IsPublic(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (std::string_view open : {"/healthz", "/livez", "/readyz", "/version"}) {
    if (path == open) return true;
  }
  return false;
}

bool IsAllowed(const ExchangeContext& context, const HTTPServerRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  if (context.token.empty() || IsPublic(request.getURI())) return true;
  const std::string shown = request.get("Authorization", "");
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

void SendText(HTTPServerRequest& request, HTTPServerResponse& response, std::string_view text) {
  response.setContentLength64(static_cast<Poco::Int64>(text.size()));
  std::ostream& out = response.send();
  if (request.getMethod() != Poco::Net::HTTPRequest::HTTP_HEAD) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  out.flush();
}

// A failure of this side, as the API says it.
void SendFailure(HTTPServerRequest& request, HTTPServerResponse& response, int code,
                 std::string_view reason, std::string_view message) {
  response.setStatusAndReason(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(code));
  response.setContentType("application/json");
  SendText(request, response,
           Format("{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\"status\":"
                  "\"Failure\",\"message\":\"{}\",\"reason\":\"{}\",\"code\":{}}}\n",
                  message, reason, code));
}

void SendStream(HTTPServerResponse& response, HttpResponse& answer) {
  response.setChunkedTransferEncoding(true);
  std::ostream& out = response.send();
  out.flush();
  char buffer[1 << 14];
  while (out.good()) {
    const auto size = answer.Read(buffer, sizeof(buffer));
    if (!size || *size == 0) return;
    out.write(buffer, static_cast<std::streamsize>(*size));
    out.flush();
  }
}

void SendAnswer(HTTPServerRequest& request, HTTPServerResponse& response, HttpResponse& answer) {
  std::string text;
  char buffer[1 << 14];
  while (true) {
    const auto size = answer.Read(buffer, sizeof(buffer));
    if (!size) {
      SendFailure(request, response, 503, "ServiceUnavailable", "the server is shutting down");
      return;
    }
    if (*size == 0) break;
    text.append(buffer, *size);
  }
  SendText(request, response, text);
}

HttpRequest ToHttpRequest(const HTTPServerRequest& request, std::string body, bool watch) {
  HttpRequest converted;
  converted.method = request.getMethod();
  converted.target = request.getURI();
  for (const auto& [name, value] : request) {
    if (name != "Authorization") converted.headers.emplace_back(name, value);
  }
  converted.body = std::move(body);
  if (watch) converted.timeout.reset();
  return converted;
}

}  // namespace

void Exchange(ExchangeContext& context, HTTPServerRequest& request, HTTPServerResponse& response,
              Poco::Net::StreamSocket& socket) {
  Body body = ReadBody(request, context.max_body);
  if (!body.complete) {
    response.setKeepAlive(false);
    if (body.text.size() <= context.max_body) {
      SendFailure(request, response, 408, "Timeout", "the request's body did not come in time");
      return;
    }
  }
  LogV(4, "Request", {{"method", request.getMethod()}, {"target", request.getURI()}});
  if (!IsAllowed(context, request)) {
    SendFailure(request, response, 401, "Unauthorized", "Unauthorized");
    return;
  }
  if (request.getURI() == "/metrics") {
    response.setContentType("text/plain; version=0.0.4; charset=utf-8");
    SendText(request, response, DefaultMetrics().Serialize());
    return;
  }
  const bool watch = request.getMethod() == "GET" && IsWatch(request.getURI());
  std::stop_source stop;
  const std::stop_callback on_close(context.stop, [&stop] { stop.request_stop(); });
  std::optional<HangupMonitor::Guard> guard;
  if (watch) guard.emplace(context.monitor, socket.impl()->sockfd(), stop);

  auto answer = context.server.Serve(ToHttpRequest(request, std::move(body.text), watch),
                                     testing::ApiUser{}, stop.get_token());
  if (!answer) {
    SendFailure(request, response, 503, "ServiceUnavailable", "the server is shutting down");
    return;
  }
  HttpResponse& served = **answer;
  response.setStatusAndReason(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(served.status()));
  for (std::string_view name : kForwarded) {
    if (std::string value = served.Header(name); !value.empty()) {
      response.set(std::string(name), value);
    }
  }
  if (watch && served.status() == 200) {
    SendStream(response, served);
  } else {
    SendAnswer(request, response, served);
  }
}

}  // namespace capstan::playground
