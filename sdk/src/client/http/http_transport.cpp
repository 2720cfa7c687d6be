#include "client/http/http_transport.h"

#include <algorithm>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/http/message_head.h"
#include "base/text/ascii.h"
#include "client/http/http_transport_proxy.h"

namespace capstan::client {
namespace {

using text::EqualIgnoringCase;

bool HasHeader(const HttpRequest& request, std::string_view name) {
  return std::ranges::any_of(
      request.headers, [&](const auto& header) { return EqualIgnoringCase(header.first, name); });
}

bool IsFieldValue(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return (c >= ' ' && c != 0x7f) || c == '\t'; });
}

// Rejects text that would break the lines of the request.
Status CheckRequest(const HttpRequest& request) {
  if (!http::IsToken(request.method)) return Status::InvalidArgument("bad HTTP method");
  const bool target_ok =
      request.target.starts_with('/') &&
      std::ranges::all_of(request.target, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (!target_ok) {
    return Status::InvalidArgument(Format("bad request target \"{}\"", request.target));
  }
  for (const auto& [name, value] : request.headers) {
    if (!http::IsToken(name))
      return Status::InvalidArgument(Format("bad header name \"{}\"", name));
    if (!IsFieldValue(value)) return Status::InvalidArgument(Format("bad value of {}", name));
  }
  return Status::Ok();
}

// Whether a request may be sent again after its kept-alive connection turned out to be closed: it
// only reads, or none of it was sent.
bool MayRepeat(const HttpRequest& request, const Connection& connection) {
  if (connection.bytes_received() > 0) return false;
  return request.method == "GET" || request.method == "HEAD" || connection.bytes_sent() == 0;
}

class Response final : public HttpResponse {
 public:
  Response(std::unique_ptr<Connection> connection, std::shared_ptr<const RequestScope> scope,
           std::shared_ptr<ConnectionPool> pool, http::AnswerHead head, std::string context)
      : pool_(std::move(pool)),
        scope_(std::move(scope)),
        connection_(std::move(connection)),
        head_(std::move(head)),
        context_(std::move(context)) {
    ReleaseWhenDone();
  }

  int status() const override { return head_.line.status; }
  std::string Header(std::string_view name) const override {
    return http::AllFieldValues(head_.fields, name);
  }

  Result<size_t> Read(char* buffer, size_t size) override {
    if (!error_.ok()) return error_;
    if (!connection_) return size_t{0};
    Result<size_t> count = connection_->ReadBody(buffer, size);
    if (!count) {
      error_ = count.status().WithContext(context_);
      connection_.reset();
      return error_;
    }
    ReleaseWhenDone();
    return count;
  }

 private:
  void ReleaseWhenDone() {
    if (connection_->body_done()) pool_->Put(std::move(connection_));
  }

  const std::shared_ptr<ConnectionPool> pool_;
  const std::shared_ptr<const RequestScope> scope_;  // outlives the connection's use of it
  std::unique_ptr<Connection> connection_;           // null once the body has ended
  const http::AnswerHead head_;
  const std::string context_;
  Status error_;
};

Result<std::string> ImpersonationLines(const RestConfig& config) {
  std::string lines;
  bool valid = true;
  const auto add = [&](std::string_view name, std::string_view value) {
    valid = valid && IsFieldValue(value);
    lines += Format("{}: {}\r\n", name, value);
  };
  if (!config.impersonate_user.empty()) add("Impersonate-User", config.impersonate_user);
  if (!config.impersonate_uid.empty()) add("Impersonate-Uid", config.impersonate_uid);
  for (const std::string& group : config.impersonate_groups) add("Impersonate-Group", group);
  for (const auto& [key, values] : config.impersonate_extra) {
    for (const std::string& value : values)
      add("Impersonate-Extra-" + EscapeHeaderName(key), value);
  }
  if (!valid) {
    return Status::InvalidArgument("impersonation: a name has a line break or control character");
  }
  if (!lines.empty() && config.impersonate_user.empty()) {
    return Status::InvalidArgument("impersonation: a uid, groups or extras need a user");
  }
  return lines;
}

Result<std::optional<ProxyUrl>> ProxyFor(const RestConfig& config, const ServerUrl& server) {
  if (config.proxy_url.empty()) return ProxyFromEnvironment(server);
  Result<ProxyUrl> proxy = ParseProxyUrl(config.proxy_url);
  if (!proxy) return proxy.status().WithContext("proxy-url");
  return std::optional(*std::move(proxy));
}

std::string UserAgentOf(const RestConfig& config) {
  return config.user_agent.empty() ? DefaultUserAgent() : config.user_agent;
}

}  // namespace

HttpTransport::HttpTransport(const RestConfig& config, ServerUrl server,
                             std::optional<ProxyUrl> proxy, Runtime& runtime)
    : server_(std::move(server)),
      user_agent_(UserAgentOf(config)),
      runtime_(runtime),
      dialer_(server_, std::move(proxy), user_agent_, runtime),
      pool_(std::make_shared<ConnectionPool>(runtime.clock())) {}

Result<std::unique_ptr<Transport>> HttpTransport::Create(const RestConfig& config,
                                                         std::unique_ptr<Credentials> credentials,
                                                         Runtime& runtime) {
  const Result<ServerUrl> server = ParseServerUrl(config.server, NamesTls(config.tls));
  if (!server) return server.status();
  if (!IsFieldValue(config.user_agent)) return Status::InvalidArgument("bad user agent");
  Result<std::optional<ProxyUrl>> proxy = ProxyFor(config, *server);
  if (!proxy) return proxy.status();
  Result<std::string> impersonation = ImpersonationLines(config);
  if (!impersonation) return impersonation.status();
  std::unique_ptr<HttpTransport> transport(
      new HttpTransport(config, *server, *std::move(proxy), runtime));
  transport->impersonation_ = *std::move(impersonation);
  transport->credentials_ = std::move(credentials);
  if (server->tls) {
    auto tls = TlsContextSource::Create(config.tls, server->host, runtime.clock());
    if (!tls) return tls.status();
    transport->tls_ = *std::move(tls);
  }
  return std::unique_ptr<Transport>(std::move(transport));
}

std::string HttpTransport::Message(const HttpRequest& request, const Credential& credential) const {
  const std::string prefix = dialer_.TargetPrefix();
  std::string message = Format("{} {}{}{} HTTP/1.1\r\nHost: {}\r\n", request.method, prefix,
                               server_.path, request.target, server_.Authority());
  const auto add = [&](std::string_view name, std::string_view value) {
    message.append(name).append(": ").append(value).append("\r\n");
  };
  for (const auto& [name, value] : request.headers) {
    const bool ours = EqualIgnoringCase(name, "Host") || EqualIgnoringCase(name, "Connection") ||
                      EqualIgnoringCase(name, "Content-Length") ||
                      EqualIgnoringCase(name, "Transfer-Encoding");
    if (!ours) add(name, value);
  }
  if (!HasHeader(request, "User-Agent")) add("User-Agent", user_agent_);
  if (!credential.authorization.empty() && !HasHeader(request, "Authorization")) {
    add("Authorization", credential.authorization);
  }
  message += impersonation_;
  if (const std::string proxy = dialer_.ProxyAuthorization(); !prefix.empty() && !proxy.empty()) {
    add("Proxy-Authorization", proxy);
  }
  if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD")) {
    add("Content-Length", std::to_string(request.body.size()));
  }
  message += "\r\n";
  return message += request.body;
}

Result<std::unique_ptr<HttpResponse>> HttpTransport::Exchange(
    const HttpRequest& request, const Credential& credential,
    const std::shared_ptr<const RequestScope>& scope) {
  std::shared_ptr<const TlsContext> tls;
  if (tls_) {
    Result<std::shared_ptr<const TlsContext>> current = tls_->Current(credential.certificate);
    if (!current) return Status(StatusReason::kTransport, current.status().message());
    tls = *std::move(current);
  }
  const std::string message = Message(request, credential);
  std::unique_ptr<Connection> connection = pool_->Take(tls.get());
  bool kept = connection != nullptr;
  while (true) {
    if (!connection) {
      Result<std::unique_ptr<Connection>> dialed = dialer_.Dial(tls, *scope);
      if (!dialed) return dialed.status();
      connection = *std::move(dialed);
    }
    if (Status refused = CheckSendBefore(request, runtime_.Now()); !refused.ok()) {
      pool_->Put(std::move(connection));
      return refused;
    }
    http::AnswerHead head;
    Status status = connection->Send(message, *scope);
    if (status.ok()) status = connection->ReceiveHead(head, request.method != "HEAD");
    if (status.ok()) {
      const std::string context = request.method + " " + server_.ToString();
      return std::unique_ptr<HttpResponse>(std::make_unique<Response>(
          std::move(connection), scope, pool_, std::move(head), context));
    }
    if (!std::exchange(kept, false) || status.reason() != StatusReason::kTransport ||
        !MayRepeat(request, *connection)) {
      return status;
    }
    connection.reset();
  }
}

Result<std::unique_ptr<HttpResponse>> HttpTransport::ExchangeWithRefresh(
    const HttpRequest& request, const std::shared_ptr<const RequestScope>& scope) {
  if (Status status = scope->Check(); !status.ok()) return status;
  const Result<Credential> credential = credentials_->Get(*scope);
  if (!credential) return credential.status();
  auto response = Exchange(request, *credential, scope);
  constexpr int kUnauthorized = 401;
  if (!response || (*response)->status() != kUnauthorized || HasHeader(request, "Authorization")) {
    return response;
  }
  // A 401 means that the request had no effect, so any request may be sent again.
  const Result<Credential> renewed = credentials_->Refresh(*credential, *scope);
  if (!renewed) {
    LogError(renewed.status(), "Cannot renew the credential that the API server rejected");
    return response;
  }
  if (*renewed == *credential) return response;
  return Exchange(request, *renewed, scope);
}

Result<std::unique_ptr<HttpResponse>> HttpTransport::RoundTrip(const HttpRequest& request,
                                                               std::stop_token stop) {
  if (Status status = CheckRequest(request); !status.ok()) return status;
  try {
    auto response = ExchangeWithRefresh(
        request,
        std::make_shared<const RequestScope>(runtime_.clock(), std::move(stop), request.timeout));
    if (response) return response;
    return response.status().WithContext(request.method + " " + server_.ToString());
  } catch (const std::exception& exception) {
    return Status(StatusReason::kTransport,
                  Format("{} {}: {}", request.method, server_.ToString(), exception.what()));
  }
}

}  // namespace capstan::client
