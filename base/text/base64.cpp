#include "base/text/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace capstan::text {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> kValues = [] {
  std::array<int, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int>(i);
  }
  return values;
}();

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= count ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  text.resize(std::min(text.find('='), text.size()));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\r' || c == '\n') continue;
    const int value = kValues[static_cast<unsigned char>(c)];
    if (c == '=' ? digits < 2 : value < 0 || padding > 0) return std::nullopt;
    group = group << 6 | static_cast<uint32_t>(c == '=' ? 0 : value);
    if (c == '=') ++padding;
    if (++digits < 4) continue;
    for (int byte = 0; byte < 3 - padding; ++byte) {
      bytes += static_cast<char>(group >> (16 - 8 * byte));
    }
    group = 0;
    digits = 0;
  }
  if (digits != 0) return std::nullopt;
  return bytes;
}

}  // namespace capstan::text
