#pragma once

/// Who asks by the certificate of the connection: the common name is the user, the organizations
/// are the groups.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
///
/// Threads: any.

#include <optional>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "access/client_ca.h"
#include "access/user_info.h"
#include "base/http/mux.h"

namespace capstan::manager {

/// nullopt: no certificate was shown, there is no authority (`ca` is null), or it names nobody.
/// Unauthorized: it is not accepted.
Result<std::optional<UserInfo>> AuthenticateByCertificate(const ClientCa* ca,
                                                          const http::ServerRequest& request,
                                                          WallTime now);

}  // namespace capstan::manager
