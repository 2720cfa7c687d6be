#include "base/yaml/plain_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>

namespace capstan::yaml {
namespace {

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<bool> ReadBool(std::string_view text) {
  if (IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return true;
  }
  if (IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return false;
  }
  return std::nullopt;
}

// "0x1f", "0b11", "017", "1_000" and decimal numbers.
std::optional<int64_t> ReadInteger(std::string text) {
  std::erase(text, '_');
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = digits[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    digits.remove_prefix(base == 8 && mark != 'o' && mark != 'O' ? 1 : 2);
  }
  const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
  const char* const end = signed_digits.data() + signed_digits.size();
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(signed_digits.data(), end, number, base);
  if (digits.empty() || digits[0] == '-' || stop != end || error != std::errc()) {
    return std::nullopt;
  }
  return number;
}

std::optional<double> ReadFloat(std::string_view text) {
  if (text.find_first_not_of("0123456789.eE+-") != text.npos) return std::nullopt;
  if (text.find_first_of("0123456789") == text.npos) return std::nullopt;
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (stop != text.data() + text.size() || error != std::errc() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

PlainScalar ReadPlainScalar(std::string_view text) {
  if (const std::optional<bool> value = ReadBool(text)) return *value;
  if (const std::optional<int64_t> value = ReadInteger(std::string(text))) return *value;
  const std::optional<double> number = ReadFloat(text);
  if (!number) return text;
  constexpr double kExact = 9007199254740992;
  if (*number == std::floor(*number) && std::abs(*number) < kExact) {
    return static_cast<int64_t>(*number);
  }
  return *number;
}

}  // namespace capstan::yaml
