#include "testing/server/decoding.h"

#include <utility>

#include "testing/server/api_errors.h"
#include "testing/server/json_syntax.h"
#include "testing/server/yaml_reader.h"

namespace capstan::testing::server {
namespace {

// "application/yaml; charset=utf-8"
bool IsYaml(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find_first_of("; "));
  return type == "application/yaml" || type == "application/apply-patch+yaml";
}

}  // namespace

Result<json::Value> ParseBody(std::string_view body, std::string_view content_type,
                              std::vector<std::string>& duplicates) {
  if (IsYaml(content_type)) {
    std::vector<std::string> repeated;
    Result<json::Value> value = ReadYaml(body, repeated);
    if (!repeated.empty()) {
      std::string text = "yaml: unmarshal errors:";
      for (const std::string& line : repeated) text += "\n  " + line;
      duplicates.push_back(std::move(text));
    }
    return value;
  }
  Result<json::ParsedValue> parsed = json::ParseValue(std::string(body));
  if (!parsed.ok()) {
    std::string error = JsonSyntaxError(body);
    return BadRequestError(error.empty() ? parsed.status().message() : error);
  }
  duplicates = std::move(parsed->duplicates);
  return std::move(parsed->value);
}

}  // namespace capstan::testing::server
