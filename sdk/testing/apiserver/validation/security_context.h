#pragma once

/// Validation of the securityContext of containers and pods.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates the securityContext of a container. Privileged containers are rejected, as by an API
/// server without --allow-privileged.
void ValidateSecurityContext(const json::Value& context, const FieldPath& path,
                             FieldErrors& errors);
void ValidatePodSecurityContext(const json::Value& pod_spec, const FieldPath& path,
                                FieldErrors& errors);

}  // namespace capstan::testing::server
