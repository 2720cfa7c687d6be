#pragma once

#include <initializer_list>
#include <string_view>

#include "apiserver/validation/field_path.h"

namespace capstan::json {
class Value;
}

namespace capstan::testing::server {

class FieldErrors;

// The string `field` of `object`, which is at `path`, must be one of `choices`.
void ValidateChoice(const json::Value& object, std::string_view field,
                    std::initializer_list<std::string_view> choices, const FieldPath& path,
                    FieldErrors& errors);

}  // namespace capstan::testing::server
