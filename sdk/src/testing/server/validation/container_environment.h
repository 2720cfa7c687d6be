#pragma once

// Environment variables of containers.

#include "json/value.h"
#include "testing/server/field_error.h"
#include "testing/server/validation/field_path.h"

namespace capstan::testing::server {

// `env` and `envFrom` of the container at `path`.
void ValidateEnvironment(const json::Value& container, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
