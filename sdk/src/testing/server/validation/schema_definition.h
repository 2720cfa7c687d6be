#pragma once

// Whether an openAPIV3Schema is one that custom resources may have: structural.
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema

#include "json/value.h"
#include "testing/server/field_error.h"
#include "testing/server/validation/field_path.h"

namespace capstan::testing::server {

void ValidateSchemaDefinition(const json::Value& schema, const FieldPath& path,
                              FieldErrors& errors);

}  // namespace capstan::testing::server
