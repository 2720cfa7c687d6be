#include "api/label_syntax.h"

#include <algorithm>

#include "base/text/ascii.h"

namespace capstan::internal {
namespace {

using text::IsAlphanumeric;
using text::IsLowerOrDigit;

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= 63 && IsAlphanumeric(name.front()) &&
         IsAlphanumeric(name.back()) && std::all_of(name.begin(), name.end(), [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

bool IsDnsLabel(std::string_view label) {
  return !label.empty() && IsLowerOrDigit(label.front()) && IsLowerOrDigit(label.back()) &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view domain) {
  if (domain.size() > 253) return false;
  while (true) {
    const size_t dot = domain.find('.');
    if (!IsDnsLabel(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

}  // namespace

bool IsLabelKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsName(key);
  return IsDnsSubdomain(key.substr(0, slash)) && IsName(key.substr(slash + 1));
}

bool IsLabelValue(std::string_view value) { return value.empty() || IsName(value); }

}  // namespace capstan::internal
