#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "client/http/url.h"

namespace capstan::client {

/// The proxy for `server` from HTTPS_PROXY or HTTP_PROXY (by the server's scheme) and NO_PROXY,
/// with the rules of Go's net/http: variable names are in either case; loopback is never proxied;
/// NO_PROXY holds "*", IP addresses, CIDR blocks and host names (".example.com" means only its
/// subdomains), each with an optional port.
Result<std::optional<ProxyUrl>> ProxyFromEnvironment(const ServerUrl& server);

/// Whether `no_proxy` exempts `server`.
bool IsExemptFromProxy(const ServerUrl& server, std::string_view no_proxy);

}  // namespace capstan::client
