#pragma once

/// Types of plain scalars in YAML 1.1, as the Kubernetes API and kubectl resolve them (go-yaml v2).

#include <cstdint>
#include <string_view>
#include <variant>

namespace capstan::yaml {

/// A bool, a number or text. A whole number is an integer, also when written as "1.0", since JSON
/// does not distinguish the two.
using PlainScalar = std::variant<bool, int64_t, double, std::string_view>;

/// `text` is a plain scalar that is not null. The result may refer to it.
PlainScalar ReadPlainScalar(std::string_view text);

}  // namespace capstan::yaml
