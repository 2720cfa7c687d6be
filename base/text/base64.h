#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::text {

/// Encodes with the standard alphabet and padding (RFC 4648, section 4).
std::string EncodeBase64(std::string_view bytes);
/// Encodes with the URL-safe alphabet, without padding (section 5).
std::string EncodeBase64Url(std::string_view bytes);
/// Decodes the standard alphabet. Line breaks are skipped. Any other invalid input returns nullopt.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace capstan::text
