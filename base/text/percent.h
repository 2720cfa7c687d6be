#pragma once

/// Percent-encoding (RFC 3986, section 2.1).

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace capstan::text {

/// Encodes all characters as %XX except the unreserved ones (letters, digits, "-._~") and those in
/// `also_plain`.
std::string PercentEncoded(std::string_view text, std::string_view also_plain = {});

/// Decodes each %XX. `plus` is the character that '+' decodes to (' ' in a query). Returns nullopt
/// if a '%' is not followed by two hexadecimal digits, and then sets `fault`, if given, to its
/// position.
std::optional<std::string> PercentDecoded(std::string_view text, char plus = '+',
                                          size_t* fault = nullptr);

}  // namespace capstan::text
