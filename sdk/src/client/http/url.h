#pragma once

/// The URLs that a connection needs: those of the API server and of a proxy.

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::client {

struct ServerUrl {
  bool tls = true;
  std::string host;  ///< without brackets
  uint16_t port = 443;
  std::string path;  ///< "" or "/prefix", no trailing slash

  /// "host:port", with brackets around an IPv6 address.
  std::string HostPort() const;
  /// The same without the default port of the scheme, for the Host header.
  std::string Authority() const;
  std::string ToString() const;
};

/// "https://host:port/path", "host:port" or "host". Without a scheme, `default_tls` selects https,
/// and no path is allowed (as in client-go's DefaultServerURL).
Result<ServerUrl> ParseServerUrl(std::string_view text, bool default_tls);

struct ProxyUrl {
  std::string host;
  uint16_t port = 80;
  std::string username, password;
  bool has_credentials = false;

  std::string HostPort() const;
};

/// Only proxies that speak plain HTTP are supported. Other schemes are rejected. No error
/// shows a password.
Result<ProxyUrl> ParseProxyUrl(std::string_view text);

bool IsIpAddress(std::string_view host);
bool IsLoopback(std::string_view host);
/// Escapes '%' and all characters that are not token characters of RFC 7230.
std::string EscapeHeaderName(std::string_view text);

}  // namespace capstan::client
