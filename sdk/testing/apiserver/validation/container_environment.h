#pragma once

/// Validation of the environment variables of containers.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates `env` and `envFrom` of the container at `path`.
void ValidateEnvironment(const json::Value& container, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
