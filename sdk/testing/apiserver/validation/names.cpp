#include "apiserver/validation/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kLongestLabel = 63;
constexpr size_t kLongestSubdomain = 253;
constexpr size_t kLongestPortName = 15;

using text::IsAlphanumeric;
using text::IsDigit;
using text::IsLower;
using text::IsLowerOrDigit;

template <class Predicate>
bool AllOf(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

// Whether the text has the form of a DNS label, of any length.
bool HasLabelForm(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         AllOf(text, [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

bool HasSubdomainForm(std::string_view text) {
  while (true) {
    const size_t dot = text.find('.');
    if (!HasLabelForm(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Whether the text has the form of the name part of a label key.
bool HasNameForm(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         AllOf(text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string TooManyBytes(size_t most) {
  return "must be no more than " + std::to_string(most) + " bytes";
}
std::string TooManyCharacters(size_t most) {
  return "must be no more than " + std::to_string(most) + " characters";
}

constexpr std::string_view kLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kDns1035Text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation "
    "is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kConfigKeyText =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " "
    "or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
constexpr std::string_view kEnvNameText =
    "a valid environment variable name must consist only of printable ASCII characters other than "
    "'='";
constexpr std::string_view kPercentText =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
    "'93%', regex used for validation is '[0-9]+%')";
constexpr std::string_view kHttpHeaderText =
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
    "regex used for validation is '[-A-Za-z0-9]+')";

// Adds the faults of a key as a file name.
void AddFaultsOfFileName(std::string_view text, Faults& faults) {
  if (text == ".") {
    faults.emplace_back("must not be '.'");
  } else if (text == "..") {
    faults.emplace_back("must not be '..'");
  } else if (text.substr(0, 2) == "..") {
    faults.emplace_back("must not start with '..'");
  }
}

}  // namespace

Faults FaultsOfDnsLabel(std::string_view text) {
  Faults faults;
  if (text.size() > kLongestLabel) faults.push_back(TooManyCharacters(kLongestLabel));
  if (!HasLabelForm(text)) {
    faults.emplace_back(HasSubdomainForm(text) ? "must not contain dots" : kLabelText);
  }
  return faults;
}

Faults FaultsOfDnsSubdomain(std::string_view text) {
  Faults faults;
  if (text.size() > kLongestSubdomain) faults.push_back(TooManyCharacters(kLongestSubdomain));
  if (!HasSubdomainForm(text)) faults.emplace_back(kSubdomainText);
  return faults;
}

Faults FaultsOfDns1035Label(std::string_view text) {
  Faults faults;
  if (text.size() > kLongestLabel) faults.push_back(TooManyCharacters(kLongestLabel));
  if (!HasLabelForm(text) || !IsLower(text.front())) faults.emplace_back(kDns1035Text);
  return faults;
}

Faults FaultsOfQualifiedName(std::string_view text) {
  Faults faults;
  std::string_view name = text;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      faults.push_back("a valid label key " + std::string(kKeyText) +
                       " with an optional DNS subdomain prefix and '/' (e.g. "
                       "'example.com/MyName')");
      return faults;
    }
    if (prefix.empty()) {
      faults.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > kLongestSubdomain) {
        faults.push_back("prefix part " + TooManyBytes(kLongestSubdomain));
      }
      if (!HasSubdomainForm(prefix)) faults.push_back("prefix part " + std::string(kSubdomainText));
    }
  }
  if (name.empty()) {
    faults.emplace_back("name part must be non-empty");
  } else if (name.size() > kLongestLabel) {
    faults.push_back("name part " + TooManyBytes(kLongestLabel));
  }
  if (!HasNameForm(name)) faults.push_back("name part " + std::string(kKeyText));
  return faults;
}

Faults FaultsOfLabelValue(std::string_view text) {
  Faults faults;
  if (text.size() > kLongestLabel) faults.push_back(TooManyBytes(kLongestLabel));
  if (!text.empty() && !HasNameForm(text)) faults.emplace_back(kLabelValueText);
  return faults;
}

Faults FaultsOfConfigKey(std::string_view text) {
  Faults faults;
  if (text.size() > kLongestSubdomain) faults.push_back(TooManyCharacters(kLongestSubdomain));
  if (text.empty() ||
      !AllOf(text, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; })) {
    faults.emplace_back(kConfigKeyText);
  }
  AddFaultsOfFileName(text, faults);
  return faults;
}

Faults FaultsOfEnvName(std::string_view text) {
  Faults faults;
  if (text.empty()) faults.emplace_back("environment variable name must be non-empty");
  if (!AllOf(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) {
    faults.emplace_back(kEnvNameText);
  }
  return faults;
}

Faults FaultsOfPortName(std::string_view text) {
  Faults faults;
  if (text.size() > kLongestPortName) faults.push_back(TooManyCharacters(kLongestPortName));
  if (text.empty() || !AllOf(text, [](char c) { return IsLowerOrDigit(c) || c == '-'; })) {
    faults.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::any_of(text.begin(), text.end(), IsLower)) {
    faults.emplace_back("must contain at least one letter (a-z)");
  }
  if (text.find("--") != std::string_view::npos) {
    faults.emplace_back("must not contain consecutive hyphens");
  }
  if (!text.empty() && (text.front() == '-' || text.back() == '-')) {
    faults.emplace_back("must not begin or end with a hyphen");
  }
  return faults;
}

Faults FaultsOfPort(int64_t port) {
  constexpr int64_t kGreatestPort = 65535;
  if (port >= 1 && port <= kGreatestPort) return {};
  return {BetweenInclusive(1, kGreatestPort)};
}

Faults FaultsOfPercent(std::string_view text) {
  if (text.size() >= 2 && text.back() == '%' && AllOf(text.substr(0, text.size() - 1), IsDigit)) {
    return {};
  }
  return {std::string(kPercentText)};
}

Faults FaultsOfHttpHeaderName(std::string_view text) {
  if (!text.empty() && AllOf(text, [](char c) { return IsAlphanumeric(c) || c == '-'; })) return {};
  return {std::string(kHttpHeaderText)};
}

Faults FaultsOfPathSegment(std::string_view text) {
  if (text == ".") return {"may not be '.'"};
  if (text == "..") return {"may not be '..'"};
  Faults faults;
  if (text.find('/') != std::string_view::npos) faults.emplace_back("may not contain '/'");
  if (text.find('%') != std::string_view::npos) faults.emplace_back("may not contain '%'");
  return faults;
}

Faults FaultsOfIp(std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  const std::string terminated(text);
  if (inet_pton(AF_INET, terminated.c_str(), address.data()) == 1 ||
      inet_pton(AF_INET6, terminated.c_str(), address.data()) == 1) {
    return {};
  }
  return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
}

Faults FaultsOfCidr(std::string_view text) {
  const size_t slash = std::min(text.find('/'), text.size());
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(std::min(slash + 1, text.size()));
  int length = 0;
  const auto [stop, error] = std::from_chars(bits.data(), bits.data() + bits.size(), length);
  const int most = address.find(':') == std::string_view::npos ? 32 : 128;
  const bool right = error == std::errc() && stop == bits.data() + bits.size() && length >= 0 &&
                     bits.front() != '-' && length <= most && FaultsOfIp(address).empty();
  if (right) return {};
  return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
}

std::string AsNamePrefix(std::string_view prefix) {
  std::string name(prefix);
  if (name.size() > 1 && name.back() == '-') {
    name.pop_back();
    name.back() = 'a';
  }
  return name;
}

std::string BetweenInclusive(int64_t least, int64_t most) {
  return "must be between " + std::to_string(least) + " and " + std::to_string(most) +
         ", inclusive";
}

std::string InOrder(const json::Value& object, std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const std::string_view field : fields) {
    const json::Value* value = object.Find(field);
    if (!value) continue;
    text += text.empty() ? '{' : ',';
    text += '"';
    text += field;
    text += "\":";
    json::AppendJson(text, *value);
  }
  return text.empty() ? "{}" : text + '}';
}

void AddFaults(const Faults& faults, const FieldPath& path, std::string_view value,
               FieldErrors& errors) {
  for (const std::string& fault : faults) errors.Invalid(path.Text(), value, fault);
}

void ValidatePortNameAndNumber(const json::Value& port, bool needs_name, const FieldPath& path,
                               FieldErrors& errors) {
  const std::string& name = port.Get("name").AsString();
  if (!name.empty()) {
    AddFaults(FaultsOfDnsLabel(name), path.Child("name"), name, errors);
  } else if (needs_name) {
    errors.Required(path.At("name"));
  }
  const int64_t number = port.Get("port").AsInteger();
  for (const std::string& fault : FaultsOfPort(number)) {
    errors.Invalid(path.At("port"), number, fault);
  }
}

void ValidateNotNegative(const json::Value& object, std::string_view field, const FieldPath& parent,
                         FieldErrors& errors) {
  const json::Value& value = object.Get(field);
  if (value.AsInteger() < 0) errors.Invalid(parent.At(field), value, std::string(kNotNegative));
}

}  // namespace capstan::testing::server
