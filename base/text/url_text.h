#pragma once

/// Formatting of "host:port" addresses and URLs for output.

#include <string>
#include <string_view>

namespace capstan::text {

/// Returns "host:port". An IPv6 address is put in brackets.
std::string HostAndPort(std::string_view host, int port);

/// Returns `url` with its secret parts replaced by "***": user name and password, query, and
/// fragment. `url` need not be valid.
std::string RedactedUrl(std::string_view url);

}  // namespace capstan::text
