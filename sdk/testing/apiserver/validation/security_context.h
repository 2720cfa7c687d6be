#pragma once

// securityContext of containers and pods: who a process runs as.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

// Of a container. Privileged ones are refused, as by an API server without --allow-privileged.
void ValidateSecurityContext(const json::Value& context, const FieldPath& path,
                             FieldErrors& errors);
void ValidatePodSecurityContext(const json::Value& pod_spec, const FieldPath& path,
                                FieldErrors& errors);

}  // namespace capstan::testing::server
