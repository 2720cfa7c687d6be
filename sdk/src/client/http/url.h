#pragma once

// The few URLs that a connection needs: the API server's and a proxy's.

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::client {

struct ServerUrl {
  bool tls = true;
  std::string host;  // without brackets
  uint16_t port = 443;
  std::string path;  // "" or "/prefix", no slash at the end

  // "host:port", with brackets around an IPv6 address.
  std::string HostPort() const;
  // The same without a port that is the scheme's own, for the Host header.
  std::string Authority() const;
  std::string ToString() const;
};

// "https://host:port/path", "host:port" or "host". Without a scheme it is https when `default_tls`,
// and there must be no path (as client-go's DefaultServerURL has it).
Result<ServerUrl> ParseServerUrl(std::string_view text, bool default_tls);

struct ProxyUrl {
  std::string host;
  uint16_t port = 80;
  std::string username, password;
  bool has_credentials = false;

  std::string HostPort() const;
};

// Only proxies that are spoken to in plain HTTP are supported; other schemes are a clear error. No
// error shows a password.
Result<ProxyUrl> ParseProxyUrl(std::string_view text);

bool IsIpAddress(std::string_view host);
bool IsLoopback(std::string_view host);
// Escapes all that is no token character of RFC 7230, and '%'.
std::string EscapeHeaderName(std::string_view text);

}  // namespace capstan::client
