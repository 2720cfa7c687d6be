#pragma once

/// Comparison of numbers and quantities ("500m", "1.5Gi", "1e3") by value.
/// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

#include <optional>
#include <string>
#include <string_view>

namespace capstan::text {

/// Returns the exact value in a canonical form that equal quantities share: digits, "e", exponent
/// ("5e-1"). Returns nullopt if `text` is not a quantity.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace capstan::text
