#include "base/text/percent.h"

#include "base/text/ascii.h"
#include "base/text/hex.h"

namespace capstan::text {
namespace {

bool IsUnreserved(char c) {
  const char lower = ToLower(c);
  return (lower >= 'a' && lower <= 'z') || IsDigit(c) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

}  // namespace

std::string PercentEncoded(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kUpperDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c) || also_plain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += '%';
      encoded += kUpperDigits[byte >> 4];
      encoded += kUpperDigits[byte & 15];
    }
  }
  return encoded;
}

std::optional<std::string> PercentDecoded(std::string_view text, char plus, size_t* fault) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      decoded += plus;
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 1 < text.size() ? HexValue(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        if (fault) *fault = i;
        return std::nullopt;
      }
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

}  // namespace capstan::text
