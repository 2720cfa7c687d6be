#pragma once

/// Validates that an openAPIV3Schema is structural, as custom resources require.
/// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateSchemaDefinition(const json::Value& schema, const FieldPath& path,
                              FieldErrors& errors);

}  // namespace capstan::testing::server
