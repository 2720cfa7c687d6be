#include "access/request_header_authenticator.h"

#include <algorithm>
#include <map>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

bool HasNamePrefix(std::string_view name, std::string_view prefix) {
  return text::EqualIgnoringCase(name.substr(0, prefix.size()), prefix);
}

using text::EqualIgnoringCase;

bool IsNamedIn(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& wanted) { return EqualIgnoringCase(name, wanted); });
}

/// The first header with a value, in the order of `names`.
std::string FirstHeader(const http::ServerRequest& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::string value = request.Header(name); !value.empty()) return value;
  }
  return {};
}

std::vector<std::string> AllHeaders(const http::ServerRequest& request,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> values;
  for (const std::string& wanted : names) {
    for (const auto& [name, value] : request.headers) {
      if (EqualIgnoringCase(name, wanted) && !value.empty()) values.push_back(value);
    }
  }
  return values;
}

/// Returns the key of an extra header in lower case. Keys are percent-encoded, because header names
/// cannot contain all characters of a key.
std::string ExtraKey(std::string_view name) {
  std::string lower = text::Lower(name);
  const auto decoded = http::ParseTarget("GET", "/" + lower);
  if (!decoded || lower.find('?') != std::string::npos) return lower;
  return decoded->path.substr(1);
}

Result<RawJson> ExtraOf(const http::ServerRequest& request,
                        const std::vector<std::string>& prefixes) {
  std::map<std::string, std::vector<std::string>> extra;
  for (const std::string& prefix : prefixes) {
    for (const auto& [name, value] : request.headers) {
      if (!HasNamePrefix(name, prefix)) continue;
      extra[ExtraKey(std::string_view(name).substr(prefix.size()))].push_back(value);
    }
  }
  if (extra.empty()) return RawJson();
  std::string json;
  for (const auto& [key, values] : extra) {
    json.append(json.empty() ? "{" : ",").append(RawJson::String(key).text()).append(":[");
    for (size_t i = 0; i < values.size(); ++i) {
      json.append(i == 0 ? "" : ",").append(RawJson::String(values[i]).text());
    }
    json += ']';
  }
  return RawJson::Parse(json + "}");
}

}  // namespace

Result<std::optional<UserInfo>> AuthenticateByRequestHeader(const RequestHeaderConfig& config,
                                                            const http::ServerRequest& request,
                                                            WallTime now) {
  if (request.client_certificates.empty() || !config.ca) return std::optional<UserInfo>();
  const auto proxy = config.ca->Verify(request.client_certificates, now);
  if (!proxy) return proxy.status();
  const std::vector<std::string>& allowed = config.allowed_names;
  if (!allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), proxy->common_name) == allowed.end()) {
    return Status(StatusReason::kUnauthorized,
                  Format("proxy \"{}\" is not allowed to name users", proxy->common_name));
  }
  UserInfo user;
  user.name = FirstHeader(request, config.username_headers);
  if (user.name.empty()) return std::optional<UserInfo>();
  user.uid = FirstHeader(request, config.uid_headers);
  user.groups = AllHeaders(request, config.group_headers);
  auto extra = ExtraOf(request, config.extra_headers_prefixes);
  if (!extra) return Status(StatusReason::kUnauthorized, "a user header is not valid text");
  user.extra = *std::move(extra);
  return std::optional(std::move(user));
}

bool IsIdentityHeader(const RequestHeaderConfig& config, std::string_view name) {
  const std::vector<std::string>& prefixes = config.extra_headers_prefixes;
  return IsNamedIn(config.username_headers, name) || IsNamedIn(config.uid_headers, name) ||
         IsNamedIn(config.group_headers, name) ||
         std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return HasNamePrefix(name, prefix); });
}

}  // namespace capstan::manager
