#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace capstan {

/// The number that a resourceVersion is; nullopt if it is none and cannot be compared.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
inline std::optional<uint64_t> VersionNumber(std::string_view version) {
  uint64_t number = 0;
  const char* end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace capstan
