#include <capstan/api/int_or_string.h>

#include <charconv>
#include <optional>

namespace capstan::api {
namespace {

// The number before the "%".
std::optional<int64_t> ParsePercentage(std::string_view text) {
  if (text.empty() || text.back() != '%') return std::nullopt;
  text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<int64_t> IntOrString::Scaled(int64_t total, bool round_up) const {
  if (!is_string_) return int64_t{int_};
  const auto percentage = ParsePercentage(text_);
  int64_t product = 0;
  if (!percentage || __builtin_mul_overflow(*percentage, total, &product)) {
    return Status::InvalidArgument("\"" + text_.str() +
                                   "\" is neither an integer nor a percentage such as \"25%\"");
  }
  const int64_t quotient = product / 100;
  const int64_t rest = product % 100;
  if (round_up) return quotient + (rest > 0 ? 1 : 0);
  return quotient - (rest < 0 ? 1 : 0);
}

std::string IntOrString::ToString() const {
  return is_string_ ? text_.str() : std::to_string(int_);
}

void AppendText(std::string& out, const IntOrString& value) { out += value.ToString(); }

}  // namespace capstan::api
