#include "apiserver/codec/decoding.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "apiserver/codec/json_syntax.h"
#include "apiserver/codec/yaml_reader.h"
#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

// "application/yaml; charset=utf-8"
bool IsYaml(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find_first_of("; "));
  return type == "application/yaml" || type == "application/apply-patch+yaml";
}

// Returns the UTF-16 code unit of the escape at `place`, if there is one.
std::optional<uint16_t> EscapedUnit(std::string_view text, size_t place) {
  constexpr size_t kDigits = 4;
  if (text.substr(place, 2) != "\\u") return std::nullopt;
  const std::string_view digits = text.substr(place + 2, kDigits);
  uint16_t unit = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, unit, 16);
  if (digits.size() != kDigits || error != std::errc() || stop != end) return std::nullopt;
  return unit;
}

// The API replaces escapes of lone surrogates ("\\ud800") with U+FFFD.
std::string WithoutHalfCharacters(std::string_view text) {
  constexpr size_t kEscape = 6;  // "\\ud800"
  const auto is = [](std::optional<uint16_t> unit, uint16_t first) {
    return unit && (*unit & 0xfc00) == first;
  };
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t taken = 1;
    if (text[i] == '\\') {
      const auto unit = EscapedUnit(text, i);
      if (is(unit, 0xd800) && is(EscapedUnit(text, i + kEscape), 0xdc00)) {
        taken = 2 * kEscape;
      } else if (is(unit, 0xd800) || is(unit, 0xdc00)) {
        out += "\\ufffd";
        i += kEscape;
        continue;
      } else {
        taken = 2;
      }
    }
    out += text.substr(i, taken);
    i += taken;
  }
  return out;
}

}  // namespace

std::vector<std::string> StrictWarnings(std::vector<std::string> errors) {
  constexpr std::string_view kOfYaml = "yaml: unmarshal errors:\n";
  std::vector<std::string> warnings;
  for (std::string& error : errors) {
    if (!error.starts_with(kOfYaml)) {
      warnings.push_back(std::move(error));
      continue;
    }
    std::string_view rest = std::string_view(error).substr(kOfYaml.size());
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      warnings.emplace_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return warnings;
}

Result<json::Value> ParseBody(std::string_view body, std::string_view content_type,
                              std::vector<std::string>& duplicates, json::Repeated repeated) {
  if (IsYaml(content_type)) {
    std::vector<std::string> lines;
    Result<json::Value> value = ReadYaml(body, lines);
    if (!lines.empty()) {
      std::string text = "yaml: unmarshal errors:";
      for (const std::string& line : lines) text += "\n  " + line;
      duplicates.push_back(std::move(text));
    }
    return value;
  }
  Result<json::ParsedValue> parsed = json::ParseValue(std::string(body), repeated);
  if (!parsed.ok()) parsed = json::ParseValue(WithoutHalfCharacters(body), repeated);
  if (!parsed.ok()) {
    std::string error = JsonSyntaxError(body);
    return BadRequestError(error.empty() ? parsed.status().message() : error);
  }
  duplicates = std::move(parsed->duplicates);
  return std::move(parsed->value);
}

}  // namespace capstan::testing::server
