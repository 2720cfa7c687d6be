#include "base/text/quantity.h"

#include <algorithm>
#include <charconv>

#include "base/text/ascii.h"

namespace capstan::text {
namespace {

// A suffix stands for a power of ten or of 1024.
struct Suffix {
  std::string_view text;
  int power_of_ten;
  int power_of_1024;
};
constexpr Suffix kSuffixes[] = {
    {"", 0, 0},   {"n", -9, 0}, {"u", -6, 0}, {"m", -3, 0}, {"k", 3, 0},  {"M", 6, 0},
    {"G", 9, 0},  {"T", 12, 0}, {"P", 15, 0}, {"E", 18, 0}, {"Ki", 0, 1}, {"Mi", 0, 2},
    {"Gi", 0, 3}, {"Ti", 0, 4}, {"Pi", 0, 5}, {"Ei", 0, 6},
};

// Limits the cost of the arithmetic. Real quantities are shorter.
constexpr size_t kMaxSize = 256;
constexpr int kMaxExponent = 10000;

bool ParseExponent(std::string_view text, int& exponent) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return false;
  text.remove_prefix(1);
  if (text[0] == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return error == std::errc() && end == text.data() + text.size() && exponent >= -kMaxExponent &&
         exponent <= kMaxExponent;
}

bool ParseSuffix(std::string_view text, int& power_of_ten, int& power_of_1024) {
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != text) continue;
    power_of_ten = suffix.power_of_ten;
    power_of_1024 = suffix.power_of_1024;
    return true;
  }
  power_of_1024 = 0;
  return ParseExponent(text, power_of_ten);
}

// Multiplies a decimal number, given as digits, by `factor`.
void Multiply(std::string& digits, unsigned factor) {
  unsigned carry = 0;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it) {
    carry += static_cast<unsigned>(*it - '0') * factor;
    *it = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  const std::string front = carry ? std::to_string(carry) : "";
  digits.insert(0, front);
}

}  // namespace

std::optional<std::string> CanonicalQuantity(std::string_view text) {
  if (text.empty() || text.size() > kMaxSize) return std::nullopt;
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);

  std::string digits(TakeDigits(text));
  int exponent = 0;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::string_view fraction = TakeDigits(text);
    digits += fraction;
    exponent = -static_cast<int>(fraction.size());
  }
  int power_of_ten = 0;
  int power_of_1024 = 0;
  if (digits.empty() || !ParseSuffix(text, power_of_ten, power_of_1024)) return std::nullopt;
  for (int i = 0; i < power_of_1024; ++i) Multiply(digits, 1024);
  exponent += power_of_ten;

  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return "0";
  while (digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  return (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
}

}  // namespace capstan::text
