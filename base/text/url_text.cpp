#include "base/text/url_text.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace capstan::text {
namespace {

constexpr std::string_view kHidden = "***";

// Whether the authority may be "host:port" and not "user:" and the beginning of a password.
bool MayBeHostAndPort(std::string_view authority) {
  if (authority.ends_with(']')) return true;  // an IPv6 address
  const size_t colon = authority.rfind(':');
  if (colon == std::string_view::npos) return true;
  return std::ranges::all_of(authority.substr(colon + 1), IsDigit);
}

// Returns the size of "user:password@", including the '@', at the front of
// "user:password@host/path".
size_t SizeOfCredentials(std::string_view text) {
  const std::string_view authority = text.substr(0, text.find('/'));
  size_t at = authority.rfind('@');
  // A password may contain an unencoded '/'.
  if (at == std::string_view::npos && !MayBeHostAndPort(authority)) at = text.rfind('@');
  return at == std::string_view::npos ? 0 : at + 1;
}

}  // namespace

std::string HostAndPort(std::string_view host, int port) {
  const bool brackets = host.find(':') != std::string_view::npos;
  std::string text(brackets ? "[" : "");
  text.append(host).append(brackets ? "]:" : ":").append(std::to_string(port));
  return text;
}

std::string RedactedUrl(std::string_view url) {
  const size_t scheme = url.find("://");
  const size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::string shown(url.substr(0, begin));
  std::string_view rest = url.substr(begin);
  if (const size_t credentials = SizeOfCredentials(rest); credentials > 0) {
    shown.append(kHidden).append("@");
    rest.remove_prefix(credentials);
  }
  const size_t query = rest.find_first_of("?#");
  shown.append(rest.substr(0, query));
  if (query != std::string_view::npos) shown.append(1, rest[query]).append(kHidden);
  return shown;
}

}  // namespace capstan::text
