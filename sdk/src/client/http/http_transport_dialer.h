#pragma once

#include <memory>
#include <optional>
#include <string>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "client/http/http_transport_connection.h"
#include "client/http/http_transport_resolver.h"
#include "client/http/http_transport_scope.h"
#include "client/http/tls_context.h"
#include "client/http/url.h"

namespace capstan::client {

/// Opens connections to one server, directly or through a proxy. The timeouts are client-go's: 30 s
/// to connect, 10 s for the TLS handshake.
///
/// Threads: Dial may be called from any thread.
class Dialer {
 public:
  Dialer(ServerUrl server, std::optional<ProxyUrl> proxy, std::string user_agent, Runtime& runtime);

  /// `tls` is null for plain HTTP. Errors name the peer that is not reachable and the reason.
  Result<std::unique_ptr<Connection>> Dial(std::shared_ptr<const TlsContext> tls,
                                           const RequestScope& scope);

  /// The prefix of the path in a plain request through a proxy; otherwise "".
  std::string TargetPrefix() const;
  /// The value of Proxy-Authorization, or "". Only requests with a TargetPrefix carry it.
  std::string ProxyAuthorization() const;

 private:
  Result<std::unique_ptr<Stream>> ConnectTcp(const RequestScope& scope);
  Result<std::unique_ptr<Stream>> Tunnel(std::unique_ptr<Stream> stream,
                                         const RequestScope& scope) const;

  const ServerUrl server_;
  const std::optional<ProxyUrl> proxy_;
  const std::string user_agent_;
  Resolver resolver_;
};

}  // namespace capstan::client
