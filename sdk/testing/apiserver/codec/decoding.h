#pragma once

// From a request's body to an object of a kind: types checked, unknown and repeated fields found,
// quantities and times in the form that the API stores.

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
  std::vector<std::string> warnings;  // texts of Warning headers
};

// The value of a JSON or (content type application/yaml, application/apply-patch+yaml) YAML text.
// Errors are BadRequest with the text of the API's reader alone: of JSON "unexpected end of JSON
// input" (which a create puts behind "couldn't get version/kind; json parse error: "), of YAML
// "error converting YAML to JSON: yaml: line 3: ...". `duplicates` gets the paths of repeated
// fields (`repeated` says which of them counts), of YAML one text for all of them ("yaml: unmarshal
// errors:\n  line 3: ...").
Result<json::Value> ParseBody(std::string_view body, std::string_view content_type,
                              std::vector<std::string>& duplicates,
                              json::Repeated repeated = json::Repeated::kLast);

// `value` as an object of `type`: unknown fields cut off (kept where the schema preserves them),
// nulls and zero values dropped or added as Go would, scalars in canonical form. A field of the
// wrong type is a BadRequest; unknown and repeated fields are warnings, or with kStrict a
// BadRequest that lists all of them ("strict decoding error: unknown field \"spec.foo\", ...").
// The texts do not say what was decoded; see request_body.h.
Result<Decoded> Conform(json::Value value, const ObjectType& type, FieldValidation validation,
                        const std::vector<std::string>& duplicates = {});

// What strict decoding objects to, as warnings: of a YAML text one a line.
std::vector<std::string> StrictWarnings(std::vector<std::string> errors);

// Sets the fields that are absent and have a default, inside of objects that are there.
void ApplySchemaDefaults(json::Value& object, const ObjectType& type);

}  // namespace capstan::testing::server
