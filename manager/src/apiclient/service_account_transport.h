#pragma once

/// ServiceAccountTransport: requests in the name of a service account, by tokens that the API
/// server issues (--use-service-account-credentials: each controller is kube-system/<its name>).
/// (https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/)
///
/// A token is asked for by the first request, and again by one that comes when 80 % of its life are
/// over or after the server has refused it (401; that request is sent once more then). One asks,
/// the others go on with the former token for as long as it lives, or wait for the new one. After
/// a failure they go on so for 10 s before another asks; without any token for 1 s, in which
/// requests fail. An account that is missing is created.
///
/// Errors: as the base's; without any token Unauthorized, and nothing has been sent.
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

/// The same server by the same way, but nothing that says who asks.
RestConfig WithoutCredentials(RestConfig config);

class ServiceAccountTransport final : public Transport {
 public:
  /// `base` has no credentials (NewHttpTransport of the above). `issuer` asks for tokens; it may
  /// create serviceaccounts/token, and serviceaccounts.
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
