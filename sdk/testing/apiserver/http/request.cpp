#include "apiserver/http/request.h"

#include <algorithm>
#include <charconv>

#include "apiserver/http/api_errors.h"
#include "base/json/json_text.h"
#include "base/text/ascii.h"
#include "base/text/percent.h"

namespace capstan::testing::server {
namespace {

// `plus` is the character that '+' decodes to.
Result<std::string> Unescape(std::string_view text, char plus) {
  size_t fault = 0;
  auto out = text::PercentDecoded(text, plus, &fault);
  if (!out) return Status::Malformed("invalid URL escape " + Quoted(text.substr(fault, 3)));
  if (!json::IsValidUtf8(*out)) return BadRequestError("the URL is not valid UTF-8");
  return *std::move(out);
}

// The errors have the texts of Go's strconv, which the API passes on.
template <class Number>
Result<Number> ParseNumber(std::string_view text, std::string_view function) {
  std::string_view digits = text;
  if (std::is_signed_v<Number> && digits.starts_with('+')) digits.remove_prefix(1);
  Number number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  const bool is_number = stop == end && error != std::errc::invalid_argument;
  if (is_number && error == std::errc() && !digits.empty()) return number;
  const char* why = is_number && !digits.empty() ? "value out of range" : "invalid syntax";
  return BadRequestError("strconv." + std::string(function) + ": parsing " + Quoted(text) + ": " +
                         why);
}

}  // namespace

Result<Query> Query::Parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    auto name = Unescape(part.substr(0, equals), ' ');
    if (!name.ok()) return name.status();
    auto value = Unescape(part.substr(std::min(equals + 1, part.size())), ' ');
    if (!value.ok()) return value.status();
    query.parameters_.emplace_back(*std::move(name), *std::move(value));
  }
  return query;
}

std::string_view Query::Get(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return {};
}

bool Query::Has(std::string_view name) const {
  return std::any_of(parameters_.begin(), parameters_.end(),
                     [&](const auto& parameter) { return parameter.first == name; });
}

bool Query::GetBool(std::string_view name) const {
  const std::string_view value = Get(name);
  return Has(name) && value != "0" && !text::EqualIgnoringCase(value, "false");
}

Result<std::optional<int64_t>> Query::GetInteger(std::string_view name) const {
  if (!Has(name)) return std::optional<int64_t>();
  auto number = ParseNumber<int64_t>(Get(name), "ParseInt");
  if (!number.ok()) return number.status();
  return std::optional<int64_t>(*number);
}

std::vector<std::string_view> Query::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : parameters_) {
    if (key == name) values.emplace_back(value);
  }
  return values;
}

Result<Target> ParseTarget(std::string_view target) {
  Target parsed;
  target = target.substr(0, target.find('#'));
  const size_t mark = std::min(target.find('?'), target.size());
  auto query = Query::Parse(target.substr(std::min(mark + 1, target.size())));
  if (!query.ok()) return query.status();
  parsed.query = *std::move(query);

  // An escaped slash separates segments like any other slash.
  const auto unescaped = Unescape(target.substr(0, mark), '+');
  if (!unescaped.ok()) return unescaped.status();
  std::string_view path = *unescaped;
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    parsed.segments.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parsed;
}

Result<uint64_t> ParseResourceVersion(std::string_view text) {
  if (text.empty()) return uint64_t{0};
  auto version = ParseNumber<uint64_t>(text, "ParseUint");
  if (version.ok()) return version;
  return BadRequestError("resourceVersion: Invalid value: " + Quoted(text) + ": " +
                         version.status().message());
}

}  // namespace capstan::testing::server
