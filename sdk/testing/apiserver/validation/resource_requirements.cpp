#include "apiserver/validation/resource_requirements.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "apiserver/validation/names.h"
#include "base/text/quantity.h"

namespace capstan::testing::server {
namespace {

// A quantity's value: 0.<digits> times ten to the power of `magnitude`.
struct Decimal {
  bool negative = false;
  std::string digits;  // without zeros at either end; "" is zero
  int64_t magnitude = 0;
};

Decimal DecimalOf(std::string_view quantity) {
  Decimal decimal;
  const std::string canonical = text::CanonicalQuantity(quantity).value_or("0");
  std::string_view text = canonical;
  if (text == "0") return decimal;
  decimal.negative = text.front() == '-';
  if (decimal.negative) text.remove_prefix(1);
  const size_t e = text.find('e');
  decimal.digits = text.substr(0, e);
  int64_t exponent = 0;
  std::from_chars(text.data() + e + 1, text.data() + text.size(), exponent);
  decimal.magnitude = static_cast<int64_t>(decimal.digits.size()) + exponent;
  return decimal;
}

int CompareMagnitudes(const Decimal& a, const Decimal& b) {
  if (a.digits.empty() || b.digits.empty()) {
    return static_cast<int>(!a.digits.empty()) - static_cast<int>(!b.digits.empty());
  }
  if (a.magnitude != b.magnitude) return a.magnitude < b.magnitude ? -1 : 1;
  return a.digits.compare(b.digits);
}

bool IsQualified(std::string_view name) { return name.find('/') != std::string_view::npos; }
bool IsHugePages(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsOfContainers(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePages(name);
}

// Names that quotas support.
bool IsStandard(std::string_view name) {
  constexpr std::array<std::string_view, 17> kNames = {
      "requests.cpu",
      "requests.memory",
      "requests.ephemeral-storage",
      "limits.cpu",
      "limits.memory",
      "limits.ephemeral-storage",
      "pods",
      "resourcequotas",
      "services",
      "replicationcontrollers",
      "secrets",
      "configmaps",
      "persistentvolumeclaims",
      "storage",
      "requests.storage",
      "services.nodeports",
      "services.loadbalancers",
  };
  return IsOfContainers(name) || name.starts_with("requests.hugepages-") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool IsExtended(std::string_view name) {
  return !IsNativeResource(name) && !name.starts_with("requests.") &&
         FaultsOfQualifiedName("requests." + std::string(name)).empty();
}

void ValidateQuantity(std::string_view name, const json::Value& quantity, const FieldPath& path,
                      FieldErrors& errors) {
  const std::string& text = quantity.AsString();
  if (text.starts_with("-") && CompareQuantities(text, "0") < 0) {
    errors.Invalid(path.Text(), quantity, std::string(kNotNegative));
  }
  if (IsExtended(name) && !IsWholeQuantity(text)) {
    errors.Invalid(path.Text(), quantity, "must be an integer");
  }
}

void ValidateAgainstLimit(const std::string& name, const json::Value& request,
                          const json::Value* limit, const FieldPath& limits,
                          const FieldPath& requests, FieldErrors& errors) {
  const bool overcommits = IsNativeResource(name) && !IsHugePages(name);
  if (!limit) {
    if (!overcommits) {
      errors.Required(limits.Text(), "Limit must be set for non overcommitable resources");
    }
    return;
  }
  if (*limit == request) return;
  const int order = CompareQuantities(request.AsString(), limit->AsString());
  const std::string rest = " to " + name + " limit of " + limit->AsString();
  if (order != 0 && !overcommits) {
    errors.Invalid(requests.Text(), request, "must be equal" + rest);
  } else if (order > 0) {
    errors.Invalid(requests.Text(), request, "must be less than or equal" + rest);
  }
}

}  // namespace

void ValidateResourceName(std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const Faults faults = FaultsOfQualifiedName(name);
  AddFaults(faults, path, name, errors);
  if (faults.empty() && !IsQualified(name) && !IsStandard(name)) {
    errors.Invalid(path.Text(), name, "must be a standard resource type or fully qualified");
  }
}

void ValidateContainerResourceName(std::string_view name, const FieldPath& path,
                                   FieldErrors& errors) {
  if (IsOfContainers(name) && !IsHugePages(name)) return;
  ValidateResourceName(name, path, errors);
  if (!IsQualified(name)) {
    if (!IsOfContainers(name)) {
      errors.Invalid(path.Text(), name, "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtended(name)) {
    errors.Invalid(path.Text(), name, "doesn't follow extended resource name standard");
  }
}

int CompareQuantities(std::string_view a, std::string_view b) {
  const Decimal left = DecimalOf(a);
  const Decimal right = DecimalOf(b);
  if (left.negative != right.negative) return left.negative ? -1 : 1;
  const int order = CompareMagnitudes(left, right);
  return left.negative ? -order : order;
}

bool IsNativeResource(std::string_view name) {
  return !IsQualified(name) || name.find("kubernetes.io/") != std::string_view::npos;
}

int64_t IntegerOf(std::string_view quantity) {
  constexpr int64_t kMostDigits = 18;
  const Decimal decimal = DecimalOf(quantity);
  if (decimal.digits.empty()) return 0;
  int64_t value = 0;
  for (int64_t i = 0; i < std::min(decimal.magnitude, kMostDigits); ++i) {
    const auto place = static_cast<size_t>(i);
    value = value * 10 + (place < decimal.digits.size() ? decimal.digits[place] - '0' : 0);
  }
  if (static_cast<int64_t>(decimal.digits.size()) > decimal.magnitude) ++value;
  return decimal.negative ? -value : value;
}

bool IsWholeQuantity(std::string_view quantity) {
  const Decimal decimal = DecimalOf(quantity);
  return decimal.magnitude >= static_cast<int64_t>(decimal.digits.size());
}

void ValidateResourceRequirements(const json::Value& requirements, const FieldPath& path,
                                  FieldErrors& errors) {
  const json::Value& limits = requirements.Get("limits");
  const json::Value& requests = requirements.Get("requests");
  if (limits.members().empty() && requests.members().empty()) return;
  const FieldPath limits_path = path.Child("limits");
  const FieldPath requests_path = path.Child("requests");
  bool huge_pages = false;
  bool cpu_or_memory = false;
  const auto count = [&](std::string_view name) {
    huge_pages |= IsHugePages(name);
    cpu_or_memory |= name == "cpu" || name == "memory";
  };
  for (const json::Member& limit : limits.members()) {
    const FieldPath at = limits_path.Key(limit.key);
    ValidateContainerResourceName(limit.key, at, errors);
    ValidateQuantity(limit.key, limit.value, at, errors);
    count(limit.key);
  }
  for (const json::Member& request : requests.members()) {
    const FieldPath at = requests_path.Key(request.key);
    ValidateContainerResourceName(request.key, at, errors);
    ValidateQuantity(request.key, request.value, at, errors);
    ValidateAgainstLimit(request.key, request.value, limits.Find(request.key), limits_path,
                         requests_path, errors);
    count(request.key);
  }
  if (huge_pages && !cpu_or_memory) {
    errors.Forbidden(path.Text(), "HugePages require cpu or memory");
  }
}

}  // namespace capstan::testing::server
