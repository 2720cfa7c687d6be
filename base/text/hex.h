#pragma once

/// Hexadecimal encoding in lower case.

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::text {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// The value of a hexadecimal digit in either case, or -1 for any other character.
constexpr int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Appends the lowest `digits` hexadecimal digits of `bits`.
inline void AppendHex(std::string& out, uint64_t bits, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
    out += kHexDigits[(bits >> shift) & 15];
}

/// Appends a byte as two digits.
inline void AppendHexByte(std::string& out, char byte) {
  AppendHex(out, static_cast<unsigned char>(byte), 2);
}

/// Encodes `bytes` with two digits per byte.
inline std::string Hexadecimal(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) AppendHexByte(text, byte);
  return text;
}

}  // namespace capstan::text
