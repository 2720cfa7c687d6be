#include "apiserver/http/warnings.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace capstan::testing::server {
namespace {

// In characters, for the texts without the header syntax.
constexpr size_t kMostTogether = size_t{4} * 1024;
constexpr size_t kMostOfOne = 256;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::string_view FirstCharacters(std::string_view text, size_t count) {
  size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && count-- == 0) break;
  }
  return text.substr(0, end);
}

// Whether the text has control characters, including U+0080 to U+009F (two bytes).
bool HasControl(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte != 0xc2 || i + 1 == text.size()) continue;
    if (static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

// Returns nullopt for a text that a header cannot contain.
std::optional<std::string> HeaderValue(std::string_view text) {
  if (HasControl(text)) return std::nullopt;
  std::string value = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') value += '\\';
    value += c;
  }
  return value + '"';
}

}  // namespace

void Warnings::Add(std::string text) {
  if (text.empty() || std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return;
  texts_.push_back(std::move(text));
}

void Warnings::Add(std::vector<std::string> texts) {
  for (std::string& text : texts) Add(std::move(text));
}

std::vector<std::string> Warnings::HeaderValues() const {
  size_t together = 0;
  for (const std::string& text : texts_) together += CountCharacters(text);
  const bool cut = together > kMostTogether;
  std::vector<std::string> values;
  size_t written = 0;
  for (const std::string& text : texts_) {
    if (cut && written >= kMostTogether) break;
    const std::string_view kept = cut ? FirstCharacters(text, kMostOfOne) : text;
    std::optional<std::string> value = HeaderValue(kept);
    if (!value) continue;
    written += CountCharacters(kept);
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace capstan::testing::server
