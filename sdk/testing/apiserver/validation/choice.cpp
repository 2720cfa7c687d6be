#include "apiserver/validation/choice.h"

#include <algorithm>
#include <string>

#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateChoice(const json::Value& object, std::string_view field,
                    std::initializer_list<std::string_view> choices, const FieldPath& path,
                    FieldErrors& errors) {
  const std::string& value = object.Get(field).AsString();
  if (value.empty()) {
    errors.Required(path.At(field));
  } else if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    errors.NotSupported(path.At(field), value, {choices.begin(), choices.end()});
  }
}

}  // namespace capstan::testing::server
