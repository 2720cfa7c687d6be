#pragma once

// Numbers and quantities ("500m", "1.5Gi", "1e3") by value.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

#include <optional>
#include <string>
#include <string_view>

namespace capstan::text {

// The value in one form that equal quantities share (digits, "e", exponent: "5e-1"), exactly;
// nullopt when `text` is no quantity.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace capstan::text
