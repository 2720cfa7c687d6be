#pragma once

#include <memory>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

#include "client/http/connection_pool.h"
#include "client/http/credential.h"
#include "client/http/http_transport_dialer.h"
#include "client/http/http_transport_scope.h"
#include "client/http/tls_context.h"

namespace capstan::client {

/// HTTP/1.1 to one API server over kept-alive connections.
class HttpTransport final : public Transport {
 public:
  static Result<std::unique_ptr<Transport>> Create(const RestConfig& config,
                                                   std::unique_ptr<Credentials> credentials,
                                                   Runtime& runtime);

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

 private:
  HttpTransport(const RestConfig& config, ServerUrl server, std::optional<ProxyUrl> proxy,
                Runtime& runtime);

  // Sends once with `credential`; twice if a kept-alive connection turns out to be closed.
  Result<std::unique_ptr<HttpResponse>> Exchange(const HttpRequest& request,
                                                 const Credential& credential,
                                                 const std::shared_ptr<const RequestScope>& scope);
  Result<std::unique_ptr<HttpResponse>> ExchangeWithRefresh(
      const HttpRequest& request, const std::shared_ptr<const RequestScope>& scope);
  std::string Message(const HttpRequest& request, const Credential& credential) const;

  const ServerUrl server_;
  const std::string user_agent_;
  std::string impersonation_;  // header lines
  Runtime& runtime_;
  Dialer dialer_;
  std::shared_ptr<ConnectionPool> pool_;   // shared with the responses
  std::unique_ptr<TlsContextSource> tls_;  // null for plain HTTP
  std::unique_ptr<Credentials> credentials_;
};

}  // namespace capstan::client
