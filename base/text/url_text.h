#pragma once

// The texts of addresses: "host:port" and URLs that people read.

#include <string>
#include <string_view>

namespace capstan::text {

/// "host:port", with brackets around an IPv6 address.
std::string HostAndPort(std::string_view host, int port);

/// `url` with "***" for what may be secret: the user's name and password before the host, and the
/// query and fragment. It need not be a valid URL.
std::string RedactedUrl(std::string_view url);

}  // namespace capstan::text
