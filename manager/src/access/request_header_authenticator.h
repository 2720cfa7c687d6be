#pragma once

/// Authenticates a user by the headers of a proxy in front of the manager. The proxy sends a client
/// certificate of its own certificate authority and names the user in headers.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
///
/// Threads: may be called from any thread.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "access/client_ca.h"
#include "access/user_info.h"
#include "base/http/mux.h"

namespace capstan::manager {

/// Header names are compared case-insensitively.
struct RequestHeaderConfig {
  std::shared_ptr<const ClientCa> ca;      ///< null: no proxy is trusted
  std::vector<std::string> allowed_names;  ///< common names of proxies; empty = all
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_headers_prefixes;
};

/// Returns nullopt if the client sent no certificate, if no proxy is trusted, or if the headers
/// name no user. Returns Unauthorized if the certificate is not that of a trusted proxy.
Result<std::optional<UserInfo>> AuthenticateByRequestHeader(const RequestHeaderConfig& config,
                                                            const http::ServerRequest& request,
                                                            WallTime now);

/// Whether the header `name` identifies the user. Such headers must not reach the handlers behind
/// authentication.
bool IsIdentityHeader(const RequestHeaderConfig& config, std::string_view name);

}  // namespace capstan::manager
