#pragma once

/// Who asks by the certificate of the connection: the common name is the user, the organizations
/// are the groups.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
///
/// Threads: any.

#include <optional>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "client_ca.h"
#include "mux.h"
#include "user_info.h"

namespace capstan::manager {

/// nullopt: no certificate was shown, there is no authority (`ca` is null), or it names nobody.
/// Unauthorized: it is not accepted.
Result<std::optional<UserInfo>> AuthenticateByCertificate(const ClientCa* ca,
                                                          const ServerRequest& request,
                                                          WallTime now);

}  // namespace capstan::manager
