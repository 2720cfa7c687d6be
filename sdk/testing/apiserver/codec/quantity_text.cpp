#include "apiserver/codec/quantity_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

enum class Notation : uint8_t { kDecimalSi, kBinarySi, kDecimalExponent };

struct Suffix {
  std::string_view text;
  int exponent;  // base 10 or base 2
  Notation format;
};
constexpr Suffix kSuffixes[] = {
    {"n", -9, Notation::kDecimalSi}, {"u", -6, Notation::kDecimalSi},
    {"m", -3, Notation::kDecimalSi}, {"", 0, Notation::kDecimalSi},
    {"k", 3, Notation::kDecimalSi},  {"M", 6, Notation::kDecimalSi},
    {"G", 9, Notation::kDecimalSi},  {"T", 12, Notation::kDecimalSi},
    {"P", 15, Notation::kDecimalSi}, {"E", 18, Notation::kDecimalSi},
    {"Ki", 10, Notation::kBinarySi}, {"Mi", 20, Notation::kBinarySi},
    {"Gi", 30, Notation::kBinarySi}, {"Ti", 40, Notation::kBinarySi},
    {"Pi", 50, Notation::kBinarySi}, {"Ei", 60, Notation::kBinarySi},
};

// Limits for the cost of the arithmetic on digits. Real quantities are far below them.
constexpr size_t kMaxSize = 1024;
constexpr int kMaxExponent = 100000;

constexpr int kNano = -9;
constexpr std::string_view kMaxInt64 = "9223372036854775807";

Status Malformed(std::string message) { return BadRequestError(std::move(message)); }
Status WrongFormat() {
  return Malformed(
      "quantities must match the regular expression "
      "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

using text::IsDigit;
using text::TakeDigits;

// The parts of a quantity's text.
struct Parts {
  bool negative = false;
  std::string digits;   // the digits before and after the point
  size_t fraction = 0;  // number of digits after the point
  std::string_view suffix;
  int exponent = 0;
  Notation format = Notation::kDecimalSi;
};

bool IsSuffix(std::string_view text) {
  const size_t letters = std::min(text.find_first_not_of("eEinumkKMGTP"), text.size());
  text.remove_prefix(letters);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return std::all_of(text.begin(), text.end(), IsDigit);
}

bool ReadSuffix(std::string_view suffix, Parts& parts) {
  for (const Suffix& known : kSuffixes) {
    if (known.text != suffix) continue;
    parts.exponent = known.exponent;
    parts.format = known.format;
    return true;
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  const char* const end = suffix.data() + suffix.size();
  const auto [stop, error] = std::from_chars(suffix.data(), end, parts.exponent);
  if (suffix.empty() || stop != end || error != std::errc()) return false;
  parts.format = Notation::kDecimalExponent;
  return parts.exponent >= -kMaxExponent && parts.exponent <= kMaxExponent;
}

Result<Parts> Split(std::string_view text) {
  Parts parts;
  if (text[0] == '-' || text[0] == '+') {
    parts.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  parts.digits = TakeDigits(text);
  if (parts.digits.empty()) parts.digits = "0";
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::string_view fraction = TakeDigits(text);
    parts.digits += fraction;
    parts.fraction = fraction.size();
  }
  if (!IsSuffix(text)) return WrongFormat();
  parts.suffix = text;
  if (!ReadSuffix(text, parts)) return Malformed("unable to parse quantity's suffix");
  return parts;
}

// Whether the quantity is already canonical, so that the API does not change it.
bool IsCanonical(const Parts& parts) {
  constexpr size_t kFastDigits = 18;
  if (parts.digits.size() > kFastDigits) return false;
  if (parts.format == Notation::kBinarySi) {
    const int precision = 15 - static_cast<int>(parts.digits.size()) -
                          static_cast<int>(static_cast<float>(parts.exponent) * 3 / 10) - 1;
    int64_t value = 0;
    std::from_chars(parts.digits.data(), parts.digits.data() + parts.digits.size(), value);
    return parts.fraction == 0 && precision >= 0 && (value & 7) != 0;
  }
  const int scale = parts.exponent - static_cast<int>(parts.fraction);
  const std::string& digits = parts.digits;
  return scale >= kNano && scale % 3 == 0 && digits[0] != '0' &&
         (digits.size() < 3 || digits.compare(digits.size() - 3, 3, "000") != 0);
}

void MultiplyBy1024(std::string& digits) {
  unsigned carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += static_cast<unsigned>(*digit - '0') * 1024;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) digits.insert(0, std::to_string(carry));
}

void StripZeros(std::string& digits, int& scale) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++scale;
  }
}

// Rounds away from zero to a multiple of 10^-9.
void RoundUpToNano(std::string& digits, int& scale) {
  if (scale >= kNano || digits.empty()) return;
  const size_t drop = std::min(static_cast<size_t>(kNano - scale), digits.size());
  digits.resize(digits.size() - drop);
  scale = kNano;
  // The removed digits are not all zeros, because the text has no trailing zeros.
  size_t place = digits.size();
  while (place > 0 && digits[place - 1] == '9') digits[--place] = '0';
  if (place > 0) {
    ++digits[place - 1];
  } else {
    digits.insert(0, "1");
  }
  StripZeros(digits, scale);
}

bool IsOverMaxInt64(const std::string& digits, int scale) {
  const int size = static_cast<int>(digits.size()) + scale;  // digits before the point
  const int most = static_cast<int>(kMaxInt64.size());
  if (size != most) return size > most;
  std::string whole = digits.substr(0, kMaxInt64.size());
  whole.resize(kMaxInt64.size(), '0');
  return whole > kMaxInt64 || (whole == kMaxInt64 && scale < 0);
}

// Returns 0 if the number is not an integer.
uint64_t Integer(const std::string& digits, int scale) {
  if (scale < 0) return 0;
  const std::string whole = digits + std::string(static_cast<size_t>(scale), '0');
  uint64_t value = 0;
  std::from_chars(whole.data(), whole.data() + whole.size(), value);
  return value;
}

std::string InPowersOf1024(uint64_t value) {
  int exponent = 0;
  while (value % 1024 == 0) {
    value /= 1024;
    exponent += 10;
  }
  std::string text = std::to_string(value);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.format == Notation::kBinarySi && suffix.exponent == exponent) text += suffix.text;
  }
  return text;
}

std::string InPowersOf1000(std::string digits, int scale, Notation format) {
  while (scale % 3 != 0) {
    digits += '0';
    --scale;
  }
  if (format == Notation::kDecimalExponent) {
    return scale == 0 ? digits : digits + "e" + std::to_string(scale);
  }
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.format == Notation::kDecimalSi && suffix.exponent == scale) digits += suffix.text;
  }
  return digits;
}

std::string Canonical(Parts parts) {
  std::string digits = std::move(parts.digits);
  int scale = -static_cast<int>(parts.fraction);
  const bool is_binary = parts.format == Notation::kBinarySi;
  if (is_binary) {
    for (int i = 0; i < parts.exponent; i += 10) MultiplyBy1024(digits);
  } else {
    scale += parts.exponent;
  }
  StripZeros(digits, scale);
  if (digits.empty()) return "0";
  RoundUpToNano(digits, scale);

  const std::string sign = parts.negative ? "-" : "";
  if (!is_binary) return sign + InPowersOf1000(std::move(digits), scale, parts.format);
  if (IsOverMaxInt64(digits, scale)) return sign + std::string(kMaxInt64);
  const uint64_t value = Integer(digits, scale);
  if (value < 1024) return sign + InPowersOf1000(std::move(digits), scale, Notation::kDecimalSi);
  return sign + InPowersOf1024(value);
}

}  // namespace

Result<std::string> CanonicalQuantityText(std::string_view text) {
  if (text.empty() || text.size() > kMaxSize) return WrongFormat();
  Result<Parts> parts = Split(text);
  if (!parts.ok()) return parts.status();
  if (parts->format == Notation::kBinarySi && parts->exponent >= 50 &&
      text.find_first_of("0123456789") == std::string_view::npos) {
    return Malformed("unable to parse numeric part of quantity");
  }
  return IsCanonical(*parts) ? std::string(text) : Canonical(std::move(*parts));
}

}  // namespace capstan::testing::server
