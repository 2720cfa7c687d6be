#include "base/cli/go_duration.h"

#include <cstdint>
#include <utility>

#include "base/text/ascii.h"

namespace capstan::cli {
namespace {

constexpr std::pair<std::string_view, int64_t> kUnits[] = {
    {"ns", 1},         {"us", 1'000},        {"\u00b5s", 1'000},    {"\u03bcs", 1'000},
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
};

using text::IsDigit;

/// Parses one part such as "1.5h" at the front of `text` and removes it. Returns nanoseconds.
std::optional<int64_t> TakePart(std::string_view& text) {
  int64_t whole = 0;
  size_t digits = 0;
  size_t at = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at, ++digits) {
    if (__builtin_mul_overflow(whole, 10, &whole)) return std::nullopt;
    if (__builtin_add_overflow(whole, text[at] - '0', &whole)) return std::nullopt;
  }
  // Nanoseconds are the finest unit and an hour has 3.6e12, so later digits have no effect.
  int64_t fraction = 0;
  int64_t scale = 1;
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && IsDigit(text[at]); ++at, ++digits) {
      if (scale >= 1'000'000'000'000) continue;
      fraction = fraction * 10 + (text[at] - '0');
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  size_t end = at;
  while (end < text.size() && text[end] != '.' && !IsDigit(text[end])) ++end;
  const std::string_view unit = text.substr(at, end - at);
  text.remove_prefix(end);
  for (const auto& [name, size] : kUnits) {
    if (unit != name) continue;
    int64_t value = 0;
    if (__builtin_mul_overflow(whole, size, &value)) return std::nullopt;
    const auto rest = static_cast<int64_t>(
        static_cast<double>(fraction) * (static_cast<double>(size) / static_cast<double>(scale)));
    if (__builtin_add_overflow(value, rest, &value)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

/// Returns `value` / `unit` in decimal: "1.5" for 1'500 and 1'000.
std::string Decimal(uint64_t value, uint64_t unit) {
  std::string text = std::to_string(value / unit);
  uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  for (; rest != 0; rest %= unit) {
    rest *= 10;
    text += static_cast<char>('0' + rest / unit);
  }
  return text;
}

}  // namespace

std::optional<Duration> ParseGoDuration(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text == "0") return Duration::zero();
  if (text.empty()) return std::nullopt;
  int64_t sum = 0;
  while (!text.empty()) {
    const auto part = TakePart(text);
    if (!part || __builtin_add_overflow(sum, *part, &sum)) return std::nullopt;
  }
  return Duration(negative ? -sum : sum);
}

std::string FormatGoDuration(Duration duration) {
  if (duration == Duration::zero()) return "0s";
  const bool negative = duration < Duration::zero();
  const uint64_t nanos = negative ? 0 - static_cast<uint64_t>(duration.count())
                                  : static_cast<uint64_t>(duration.count());
  std::string text = negative ? "-" : "";
  if (nanos < 1'000) return text + std::to_string(nanos) + "ns";
  if (nanos < 1'000'000) return text + Decimal(nanos, 1'000) + "\u00b5s";
  if (nanos < 1'000'000'000) return text + Decimal(nanos, 1'000'000) + "ms";
  const uint64_t minutes = nanos / 60'000'000'000;
  if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
  if (minutes > 0) text += std::to_string(minutes % 60) + "m";
  return text + Decimal(nanos % 60'000'000'000, 1'000'000'000) + "s";
}

}  // namespace capstan::cli
