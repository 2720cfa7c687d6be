#pragma once

/// What YAML 1.1 takes a plain scalar for, as the Kubernetes API and kubectl read it (go-yaml v2).

#include <cstdint>
#include <string_view>
#include <variant>

namespace capstan::yaml {

/// A bool, a number or text. A number that is whole is an integer, "1.0" too, as JSON does not tell
/// them apart.
using PlainScalar = std::variant<bool, int64_t, double, std::string_view>;

/// `text` is that of a plain scalar that is not null; the result may refer to it.
PlainScalar ReadPlainScalar(std::string_view text);

}  // namespace capstan::yaml
