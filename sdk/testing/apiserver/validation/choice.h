#pragma once

#include <initializer_list>
#include <string_view>

#include "apiserver/validation/field_path.h"

namespace capstan::json {
class Value;
}

namespace capstan::testing::server {

class FieldErrors;

/// Checks that the string `field` of `object` is one of `choices`. `path` is the path of `object`.
void ValidateChoice(const json::Value& object, std::string_view field,
                    std::initializer_list<std::string_view> choices, const FieldPath& path,
                    FieldErrors& errors);

}  // namespace capstan::testing::server
