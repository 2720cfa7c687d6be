#pragma once

/// Validates a value against the openAPIV3Schema of a custom resource.
/// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/

#include <string>

#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

/// `path` is "" for the whole object.
void ValidateInstance(const json::Value& value, const json::Value& schema, const std::string& path,
                      FieldErrors& errors);

}  // namespace capstan::testing::server
