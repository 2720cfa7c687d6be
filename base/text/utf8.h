#pragma once

/// Decodes UTF-8.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace capstan::text {

struct CodePoint {
  uint32_t value;
  size_t size;  ///< in bytes
};

/// The code point at the start of `text`, which is not empty; nullopt if the bytes are not valid
/// UTF-8.
inline std::optional<CodePoint> FirstCodePoint(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return CodePoint{lead, 1};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return std::nullopt;
  uint32_t value = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kLeast[size] || value > 0x10ffff || surrogate) return std::nullopt;
  return CodePoint{value, size};
}

/// Whether a terminal would interpret `value` rather than show it, or show other text in another
/// order.
inline bool IsControl(uint32_t value) {
  const auto within = [value](uint32_t first, uint32_t last) {
    return value >= first && value <= last;
  };
  return value < 0x20 || within(0x7f, 0xa0) || value == 0xad || value == 0x61c ||
         within(0x200b, 0x200f) || within(0x2028, 0x202e) || within(0x2060, 0x206f) ||
         value == 0xfeff || within(0xfff9, 0xfffb) || within(0xe0000, 0xe007f);
}

}  // namespace capstan::text
