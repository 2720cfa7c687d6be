#include "base/json/json_text.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/text/hex.h"
#include "base/text/utf8.h"

namespace capstan::json {
namespace {

// For each byte: whether it may appear unescaped in a string.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = 0; c < plain.size(); ++c) plain[c] = c >= 0x20 && c != '"' && c != '\\';
  return plain;
}();

// Whether one of the eight bytes at `text` must be escaped.
bool HasSpecial(const char* text) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = 0x8080808080808080;
  uint64_t word = 0;
  std::memcpy(&word, text, sizeof(word));
  // A byte of (x - k * kOnes) & ~x & kHighs has its high bit set when the byte of x is below k.
  const uint64_t quote = word ^ (kOnes * '"');
  const uint64_t backslash = word ^ (kOnes * '\\');
  const uint64_t special = ((word - kOnes * 0x20) & ~word) | ((quote - kOnes) & ~quote) |
                           ((backslash - kOnes) & ~backslash);
  return (special & kHighs) != 0;
}

// Returns the position of the first byte at or after `begin` that must be escaped.
size_t PlainPrefix(std::string_view text, size_t begin) {
  size_t i = begin;
  while (i + 8 <= text.size() && !HasSpecial(text.data() + i)) i += 8;
  // The last bytes are checked together with some bytes before them.
  if (i - begin >= 8 && i + 8 > text.size() && !HasSpecial(text.data() + text.size() - 8)) {
    return text.size();
  }
  while (i < text.size() && kPlain[static_cast<unsigned char>(text[i])]) ++i;
  return i;
}

void AppendEscaped(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      text::AppendHex(out, c, 2);
  }
}

}  // namespace

void AppendString(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;
  for (size_t i = PlainPrefix(text, 0); i < text.size(); i = PlainPrefix(text, plain)) {
    out.append(text, plain, i - plain);
    AppendEscaped(out, static_cast<unsigned char>(text[i]));
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendString(out, text);
  return out;
}

bool IsValidUtf8(std::string_view text) {
  while (!text.empty()) {
    uint64_t word;
    if (text.size() >= 8 &&
        (std::memcpy(&word, text.data(), 8), (word & 0x8080808080808080ULL) == 0)) {
      text.remove_prefix(8);
      continue;
    }
    const auto point = text::FirstCodePoint(text);
    if (!point) return false;
    text.remove_prefix(point->size);
  }
  return true;
}

}  // namespace capstan::json
