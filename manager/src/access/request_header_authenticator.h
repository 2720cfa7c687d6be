#pragma once

/// What a proxy in front of the manager says of who asks: it shows a client certificate of its own
/// authority and names the user in headers.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
///
/// Threads: any.

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

/// Names of headers are compared in any case.
struct RequestHeaderConfig {
  std::shared_ptr<const ClientCa> ca;      ///< null: no proxy is believed
  std::vector<std::string> allowed_names;  ///< common names of proxies; empty = all
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_headers_prefixes;
};

/// nullopt: no certificate was shown, no proxy is believed, or it names nobody. Unauthorized: the
/// certificate is none of a proxy's.
Result<std::optional<UserInfo>> AuthenticateByRequestHeader(const RequestHeaderConfig& config,
                                                            const http::ServerRequest& request,
                                                            WallTime now);

/// Whether such a header says who asks. Nobody behind authentication may see it.
bool IsIdentityHeader(const RequestHeaderConfig& config, std::string_view name);

}  // namespace capstan::manager
