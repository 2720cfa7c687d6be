#pragma once

/// Validation of the addresses of endpoints.

#include <string>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"

namespace capstan::testing::server {

/// Rejects addresses that other hosts cannot reach: unspecified, loopback and link-local addresses.
void ValidateEndpointIp(const std::string& address, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
