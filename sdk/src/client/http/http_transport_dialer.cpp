#include "client/http/http_transport_dialer.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>

#include "base/text/base64.h"

namespace capstan::client {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(30);
constexpr Duration kHandshakeTimeout = std::chrono::seconds(10);
// Several addresses share the time, but each gets at least this.
constexpr Duration kLeastShare = std::chrono::seconds(2);

}  // namespace

Dialer::Dialer(ServerUrl server, std::optional<ProxyUrl> proxy, std::string user_agent,
               Runtime& runtime)
    : server_(std::move(server)),
      proxy_(std::move(proxy)),
      user_agent_(std::move(user_agent)),
      resolver_(proxy_ ? proxy_->host : server_.host, proxy_ ? proxy_->port : server_.port,
                runtime) {}

std::string Dialer::TargetPrefix() const {
  return proxy_ && !server_.tls ? "http://" + server_.Authority() : "";
}

std::string Dialer::ProxyAuthorization() const {
  if (!proxy_ || !proxy_->has_credentials) return "";
  return "Basic " + text::EncodeBase64(proxy_->username + ":" + proxy_->password);
}

Result<std::unique_ptr<Stream>> Dialer::ConnectTcp(const RequestScope& scope) {
  const MonotonicTime limit = scope.Now() + kConnectTimeout;
  const Result<std::vector<Address>> addresses = resolver_.Resolve(scope, limit);
  if (!addresses) return addresses.status();
  Status first_error;
  for (size_t i = 0; i < addresses->size(); ++i) {
    const Duration left = limit - scope.Now();
    const auto remaining = static_cast<Duration::rep>(addresses->size() - i);
    const Duration share = std::min(left, std::max(kLeastShare, left / remaining));
    const Address& address = (*addresses)[i];
    Result<std::unique_ptr<Stream>> stream =
        Stream::Connect(address.storage, address.length, scope, scope.Now() + share);
    if (stream || stream.status().reason() != StatusReason::kTransport) return stream;
    if (first_error.ok()) {
      first_error = stream.status().WithContext("connect to " + address.ToString());
    }
  }
  return first_error;
}

Result<std::unique_ptr<Stream>> Dialer::Tunnel(std::unique_ptr<Stream> stream,
                                               const RequestScope& scope) const {
  const std::string target = server_.HostPort();
  std::string request =
      Format("CONNECT {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\n", target, target, user_agent_);
  if (const std::string authorization = ProxyAuthorization(); !authorization.empty()) {
    request += "Proxy-Authorization: " + authorization + "\r\n";
  }
  request += "\r\n";
  Connection connection(std::move(stream));
  if (Status status = connection.Send(request, scope); !status.ok()) return status;
  http::AnswerHead answer;
  if (Status status = connection.ReceiveHead(answer, false); !status.ok()) return status;
  if (const int code = answer.line.status; code != 200) {
    return Status(StatusReason::kTransport, Format("the proxy refused to connect to {}: {} {}",
                                                   target, code, answer.line.reason));
  }
  return connection.TakeStream();
}

Result<std::unique_ptr<Connection>> Dialer::Dial(std::shared_ptr<const TlsContext> tls,
                                                 const RequestScope& scope) {
  const std::string via = proxy_ ? "proxy " + proxy_->HostPort() : "";
  Result<std::unique_ptr<Stream>> stream = ConnectTcp(scope);
  if (stream && proxy_ && tls) stream = Tunnel(*std::move(stream), scope);
  if (!stream) return proxy_ ? stream.status().WithContext(via) : stream.status();
  if (tls) {
    Status status = (*stream)->StartTls(std::move(tls), scope, scope.Now() + kHandshakeTimeout);
    if (!status.ok()) return status;
  }
  return std::make_unique<Connection>(*std::move(stream));
}

}  // namespace capstan::client
