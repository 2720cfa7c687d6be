#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::text {

/// Standard alphabet with padding (RFC 4648, section 4).
std::string EncodeBase64(std::string_view bytes);
/// The alphabet for URLs, without padding (section 5).
std::string EncodeBase64Url(std::string_view bytes);
/// Line breaks are skipped; anything else out of place is nullopt.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace capstan::text
