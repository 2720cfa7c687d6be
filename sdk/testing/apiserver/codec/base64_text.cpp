#include "apiserver/codec/base64_text.h"

#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

Status Illegal(size_t place) {
  return BadRequestError("illegal base64 data at input byte " + std::to_string(place));
}

size_t SkipLineBreaks(std::string_view text, size_t place) {
  while (place < text.size() && IsLineBreak(text[place])) ++place;
  return place;
}

// Checks the padding of an incomplete group of four. `place` is at the first padding character.
Status CheckPadding(std::string_view text, size_t place, size_t digits) {
  if (digits < 2) return Illegal(place);
  ++place;
  if (digits == 2) {
    place = SkipLineBreaks(text, place);
    if (place == text.size()) return Illegal(text.size());
    if (text[place] != '=') return Illegal(place);
    ++place;
  }
  place = SkipLineBreaks(text, place);
  return place < text.size() ? Illegal(place) : Status::Ok();
}

}  // namespace

Result<std::string> CanonicalBase64Text(std::string_view text) {
  std::string canonical;
  canonical.reserve(text.size());
  for (size_t place = 0; place < text.size(); ++place) {
    const char c = text[place];
    if (IsLineBreak(c)) continue;
    if (c != '=') {
      if (kDigits.find(c) == std::string_view::npos) return Illegal(place);
      canonical += c;
      continue;
    }
    const size_t digits = canonical.size() % 4;
    if (Status status = CheckPadding(text, place, digits); !status.ok()) return status;
    // 4 or 2 bits of the last digit are beyond the last byte.
    const size_t unused = digits == 2 ? 0x0f : 0x03;
    canonical.back() = kDigits[kDigits.find(canonical.back()) & ~unused];
    return canonical.append(4 - digits, '=');
  }
  const size_t left = canonical.size() % 4;
  if (left > 0) return Illegal(text.size() - left);
  return canonical;
}

}  // namespace capstan::testing::server
