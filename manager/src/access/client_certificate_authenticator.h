#pragma once

/// Authenticates a user by the client certificate of the connection. The common name is the user
/// name, the organizations are the groups.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
///
/// Threads: may be called from any thread.

#include <optional>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "access/client_ca.h"
#include "access/user_info.h"
#include "base/http/mux.h"

namespace capstan::manager {

/// Returns nullopt if the client sent no certificate, if `ca` is null, or if the certificate has no
/// common name. Returns Unauthorized if the certificate is not accepted.
Result<std::optional<UserInfo>> AuthenticateByCertificate(const ClientCa* ca,
                                                          const http::ServerRequest& request,
                                                          WallTime now);

}  // namespace capstan::manager
