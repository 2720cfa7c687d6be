#pragma once

/// Converts quantities ("500m", "1.5Gi", "1e3") to the form that the API stores and prints.
/// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

/// "0.5" becomes "500m", "1024Mi" becomes "1Gi", "1000m" becomes "1". A canonical text does not
/// change. Errors: BadRequest with the API's text.
Result<std::string> CanonicalQuantityText(std::string_view text);

}  // namespace capstan::testing::server
