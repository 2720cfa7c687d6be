#pragma once

// Quantities ("500m", "1.5Gi", "1e3") in the form that the API stores and shows them.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

// "0.5" is "500m", "1024Mi" is "1Gi", "1000m" is "1"; what was canonical already stays as it is.
// An error (BadRequest) has the API's text.
Result<std::string> CanonicalQuantityText(std::string_view text);

}  // namespace capstan::testing::server
