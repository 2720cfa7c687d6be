#include "client/http/http_transport_proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::client {
namespace {

// An IPv4 address is stored as ::ffff:a.b.c.d, so that one comparison serves both families.
using IpBytes = std::array<unsigned char, 16>;

struct Ip {
  IpBytes bytes{};
  bool v4 = false;
};

std::optional<Ip> ParseIp(std::string_view text) {
  const std::string copy(text);
  Ip ip;
  if (inet_pton(AF_INET, copy.c_str(), ip.bytes.data() + 12) == 1) {
    ip.bytes[10] = ip.bytes[11] = 0xff;
    ip.v4 = true;
    return ip;
  }
  if (inet_pton(AF_INET6, copy.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

bool SamePrefix(const IpBytes& a, const IpBytes& b, unsigned bits) {
  const unsigned whole = bits / 8;
  if (std::memcmp(a.data(), b.data(), whole) != 0) return false;
  if (bits % 8 == 0) return true;
  return (a[whole] ^ b[whole]) >> (8 - bits % 8) == 0;
}

// Returns nullopt if `entry` is not a CIDR block.
std::optional<bool> MatchesBlock(std::string_view entry, const std::optional<Ip>& host) {
  const size_t slash = entry.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto base = ParseIp(entry.substr(0, slash));
  unsigned bits = 0;
  const std::string_view length = entry.substr(slash + 1);
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (!base || error != std::errc() || end != length.data() + length.size() ||
      bits > (base->v4 ? 32U : 128U)) {
    return std::nullopt;
  }
  return host && host->v4 == base->v4 &&
         SamePrefix(host->bytes, base->bytes, base->v4 ? bits + 96 : bits);
}

using text::Lower;

constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Removes ":port" from the end. An IPv6 address needs brackets to have a port.
std::string_view TakePort(std::string_view& entry) {
  std::string_view port;
  if (entry.starts_with('[')) {
    const size_t end = entry.find(']');
    if (end == std::string_view::npos) return port;
    if (end + 1 < entry.size() && entry[end + 1] == ':') port = entry.substr(end + 2);
    entry = entry.substr(1, end - 1);
  } else if (std::ranges::count(entry, ':') == 1) {
    const size_t colon = entry.find(':');
    port = entry.substr(colon + 1);
    entry = entry.substr(0, colon);
  }
  return port;
}

bool MatchesName(std::string_view entry, std::string_view host) {
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry.starts_with('.')) return host.ends_with(entry);
  return host == entry || (host.size() > entry.size() && host.ends_with(entry) &&
                           host[host.size() - entry.size() - 1] == '.');
}

bool Matches(std::string_view entry, const ServerUrl& server, const std::string& host) {
  if (entry == "*") return true;
  const std::optional<Ip> ip = ParseIp(host);
  if (const auto block = MatchesBlock(entry, ip)) return *block;
  const std::string_view port = TakePort(entry);
  if (entry.empty() || (!port.empty() && port != std::to_string(server.port))) return false;
  if (const auto entry_ip = ParseIp(entry)) return ip && ip->bytes == entry_ip->bytes;
  return !ip && MatchesName(entry, host);
}

// The value of the upper-case or else the lower-case name, whichever is set and not empty.
std::string Environment(const char* upper, std::string& name) {
  for (const std::string& spelling : {std::string(upper), Lower(upper)}) {
    const char* const value = std::getenv(spelling.c_str());
    if (!value || !*value) continue;
    name = spelling;
    return value;
  }
  return "";
}

}  // namespace

bool IsExemptFromProxy(const ServerUrl& server, std::string_view no_proxy) {
  if (IsLoopback(server.host)) return true;
  std::string host = Lower(server.host);
  if (host.ends_with('.')) host.pop_back();
  while (!no_proxy.empty()) {
    const size_t comma = no_proxy.find(',');
    const std::string entry = Lower(text::Trimmed(no_proxy.substr(0, comma), kBlanks));
    if (!entry.empty() && Matches(entry, server, host)) return true;
    no_proxy = comma == std::string_view::npos ? "" : no_proxy.substr(comma + 1);
  }
  return false;
}

Result<std::optional<ProxyUrl>> ProxyFromEnvironment(const ServerUrl& server) {
  std::string name, ignored;
  std::string url = Environment(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY", name);
  if (url.empty() || IsExemptFromProxy(server, Environment("NO_PROXY", ignored))) {
    return std::optional<ProxyUrl>();
  }
  if (url.find("://") == std::string::npos) url = "http://" + url;
  const Result<ProxyUrl> proxy = ParseProxyUrl(url);
  if (!proxy) return proxy.status().WithContext("environment variable " + name);
  return std::optional(*proxy);
}

}  // namespace capstan::client
