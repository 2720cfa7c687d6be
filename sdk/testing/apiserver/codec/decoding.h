#pragma once

/// Decodes a request body into an object of a kind. It checks types, finds unknown and repeated
/// fields, and converts quantities and times to the form that the API stores.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

struct Decoded {
  json::Value object;
  std::vector<std::string> warnings;  ///< texts of Warning headers
};

/// Parses `body` as YAML if the content type is application/yaml or application/apply-patch+yaml,
/// otherwise as JSON. Errors are BadRequest with only the text of the API's reader: for JSON
/// "unexpected end of JSON input" (a create adds the prefix "couldn't get version/kind; json parse
/// error: "), for YAML "error converting YAML to JSON: yaml: line 3: ...". `duplicates` receives
/// the paths of repeated fields, and `repeated` selects the value that is kept. For YAML it
/// receives one text for all of them ("yaml: unmarshal errors:\n  line 3: ...").
Result<json::Value> ParseBody(std::string_view body, std::string_view content_type,
                              std::vector<std::string>& duplicates,
                              json::Repeated repeated = json::Repeated::kLast);

/// Converts `value` to an object of `type`. Unknown fields are removed unless the schema preserves
/// them. Nulls and zero values are dropped or added as Go does. Scalars become canonical. A field
/// of the wrong type is a BadRequest. Unknown and repeated fields are warnings. With kStrict they
/// are one BadRequest that lists all of them ("strict decoding error: unknown field \"spec.foo\",
/// ..."). The texts do not name the decoded object; see request_body.h.
Result<Decoded> Conform(json::Value value, const ObjectType& type, FieldValidation validation,
                        const std::vector<std::string>& duplicates = {});

/// Converts the errors of strict decoding to warnings. A YAML error becomes one warning per line.
std::vector<std::string> StrictWarnings(std::vector<std::string> errors);

/// Sets absent fields that have a default, in objects that are present.
void ApplySchemaDefaults(json::Value& object, const ObjectType& type);

}  // namespace capstan::testing::server
