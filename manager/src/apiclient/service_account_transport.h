#pragma once

/// ServiceAccountTransport: sends requests as a service account, with tokens that the API server
/// issues (--use-service-account-credentials: each controller is kube-system/<its name>).
/// (https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/)
///
/// The first request obtains a token. A later request renews the token after 80 % of its lifetime,
/// or after the server has rejected it (401; that request is then sent once more). Only one request
/// renews the token at a time. The others use the previous token while it is valid, or wait for the
/// new one. After a failed renewal, no other is tried for 10 s, and requests use the previous token
/// until then. Without a valid token, no other is tried for 1 s, and requests fail until then. A
/// missing service account is created.
///
/// Errors: as the base transport's. Without a valid token Unauthorized; nothing was sent then.
///
/// Threads: as any Transport.

#include <memory>
#include <stop_token>
#include <string>

#include <capstan/api/meta_v1.h>
#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

namespace capstan::manager {

/// Returns `config` without all credentials and impersonation.
RestConfig WithoutCredentials(RestConfig config);

class ServiceAccountTransport final : public Transport {
 public:
  /// `base` has no credentials (a NewHttpTransport of WithoutCredentials). `issuer` requests the
  /// tokens. It must be allowed to create serviceaccounts/token and serviceaccounts.
  ServiceAccountTransport(std::shared_ptr<Transport> base, const Client& issuer,
                          NamespacedName account, Runtime& runtime);
  ~ServiceAccountTransport() override;

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

 private:
  class Tokens;

  const std::shared_ptr<Transport> base_;
  const std::unique_ptr<Tokens> tokens_;
  Runtime& runtime_;
};

}  // namespace capstan::manager
