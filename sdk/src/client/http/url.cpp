#include "client/http/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include <capstan/runtime/format.h>

#include "base/text/ascii.h"
#include "base/text/percent.h"
#include "base/text/url_text.h"

namespace capstan::client {
namespace {

struct Parts {
  std::string scheme, userinfo, host, port, path;
  bool has_userinfo = false;
};

using text::Lower;

bool IsScheme(std::string_view text) {
  return !text.empty() && text::IsAlphanumeric(text[0]) && !text::IsDigit(text[0]) &&
         std::ranges::all_of(text, [](char c) {
           return text::IsAlphanumeric(c) || c == '+' || c == '-' || c == '.';
         });
}

bool IsHostCharacter(char c) {
  return text::IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Status SplitAuthority(std::string_view authority, Parts& parts) {
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts.has_userinfo = true;
    parts.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::string_view rest;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos) return Status::InvalidArgument("missing ']' in the host");
    parts.host = authority.substr(1, end - 1);
    if (!IsIpAddress(parts.host)) {
      return Status::InvalidArgument(Format("\"{}\" is not an IPv6 address", parts.host));
    }
    rest = authority.substr(end + 1);
  } else {
    const size_t colon = authority.find(':');
    parts.host = authority.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : authority.substr(colon);
    if (!std::ranges::all_of(parts.host, IsHostCharacter)) {
      return Status::InvalidArgument(Format("\"{}\" is not a host name", parts.host));
    }
  }
  if (parts.host.empty()) return Status::InvalidArgument("no host");
  if (!rest.empty() && rest[0] != ':') return Status::InvalidArgument("text after the host");
  if (!rest.empty()) parts.port = rest.substr(1);
  return Status::Ok();
}

Result<Parts> Split(std::string_view text) {
  for (const unsigned char c : text) {
    if (c <= ' ' || c == 0x7f) return Status::InvalidArgument("has a space or control character");
  }
  Parts parts;
  if (const size_t mark = text.find("://"); mark != std::string_view::npos) {
    if (!IsScheme(text.substr(0, mark))) return Status::InvalidArgument("bad scheme");
    parts.scheme = Lower(text.substr(0, mark));
    text.remove_prefix(mark + 3);
  }
  if (text.find_first_of("?#") != std::string_view::npos) {
    return Status::InvalidArgument("a query or fragment is not allowed");
  }
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos) parts.path = text.substr(slash);
  Status status = SplitAuthority(text.substr(0, slash), parts);
  const bool misread = !status.ok() || !std::ranges::all_of(parts.port, text::IsDigit);
  if (misread && !parts.has_userinfo && parts.path.find('@') != std::string::npos) {
    // What was parsed as the host or port is part of a password, so it is not shown.
    return Status::InvalidArgument("'/' in credentials must be written as %2F");
  }
  if (!status.ok()) return status;
  return parts;
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

Result<uint16_t> PortOf(const Parts& parts, uint16_t default_port) {
  if (parts.port.empty()) return default_port;
  if (const auto port = ParsePort(parts.port)) return *port;
  return Status::InvalidArgument(Format("\"{}\" is not a port", parts.port));
}

}  // namespace

std::string ServerUrl::HostPort() const { return text::HostAndPort(host, port); }

std::string ServerUrl::Authority() const {
  std::string authority = HostPort();
  if (port == (tls ? 443 : 80)) authority.resize(authority.rfind(':'));
  return authority;
}

std::string ServerUrl::ToString() const {
  return (tls ? "https://" : "http://") + HostPort() + path;
}

Result<ServerUrl> ParseServerUrl(std::string_view text, bool default_tls) {
  const auto failed = [&](std::string_view reason) {
    return Status::InvalidArgument(
        Format("\"{}\" is not a server URL: {}", text::RedactedUrl(text), reason));
  };
  Result<Parts> parts = Split(text.empty() ? "localhost" : text);
  if (!parts) return failed(parts.status().message());
  if (parts->has_userinfo) {
    return Status::InvalidArgument("the server URL must not contain credentials");
  }
  while (parts->path.ends_with('/')) parts->path.pop_back();
  ServerUrl url;
  if (parts->scheme.empty()) {
    if (!parts->path.empty()) return failed("must be a URL or host:port; a path needs a scheme");
    url.tls = default_tls;
  } else if (parts->scheme == "https" || parts->scheme == "http") {
    url.tls = parts->scheme == "https";
  } else {
    return failed("the scheme must be https or http");
  }
  const Result<uint16_t> port = PortOf(*parts, url.tls ? 443 : 80);
  if (!port) return failed(port.status().message());
  url.host = parts->host;
  url.port = *port;
  url.path = parts->path;
  return url;
}

std::string ProxyUrl::HostPort() const { return text::HostAndPort(host, port); }

Result<ProxyUrl> ParseProxyUrl(std::string_view text) {
  Result<Parts> parts = Split(text);
  if (!parts) {
    return Status::InvalidArgument("not a proxy URL: " + parts.status().message());
  }
  if (parts->scheme.empty() || parts->scheme != "http") {
    const std::string scheme = parts->scheme.empty() ? "none" : "\"" + parts->scheme + "\"";
    return Status::InvalidArgument(
        Format("the proxy's scheme must be \"http\", it is {}; proxies over TLS and SOCKS are not "
               "supported",
               scheme));
  }
  const Result<uint16_t> port = PortOf(*parts, 80);
  if (!port) return Status::InvalidArgument("not a proxy URL: " + port.status().message());
  ProxyUrl url;
  url.host = parts->host;
  url.port = *port;
  url.has_credentials = parts->has_userinfo;
  const size_t colon = parts->userinfo.find(':');
  const auto username = text::PercentDecoded(std::string_view(parts->userinfo).substr(0, colon));
  const auto password =
      colon == std::string::npos
          ? std::optional<std::string>("")
          : text::PercentDecoded(std::string_view(parts->userinfo).substr(colon + 1));
  if (!username || !password) {
    return Status::InvalidArgument("not a proxy URL: bad percent escape in its credentials");
  }
  url.username = *username;
  url.password = *password;
  return url;
}

bool IsIpAddress(std::string_view host) {
  in6_addr address{};
  const std::string text(host.substr(0, host.find('%')));
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool IsLoopback(std::string_view host) {
  if (Lower(host) == "localhost") return true;
  in_addr v4{};
  in6_addr v6{};
  const std::string text(host);
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string EscapeHeaderName(std::string_view text) {
  return text::PercentEncoded(text, "!#$&'*+^`|");
}

}  // namespace capstan::client
