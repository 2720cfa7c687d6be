#pragma once

// Percent-encoding (RFC 3986, section 2.1).

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::text {

/// `text` with all but the unreserved characters (letters, digits, "-._~") and those of
/// `also_plain` as %XX.
std::string PercentEncoded(std::string_view text, std::string_view also_plain = {});

/// The text behind each %XX. `plus`: what a '+' stands for (in a query: ' '). nullopt when a '%'
/// has no two hexadecimal digits behind it; then `fault`, if given, is its place.
std::optional<std::string> PercentDecoded(std::string_view text, char plus = '+',
                                          size_t* fault = nullptr);

}  // namespace capstan::text
