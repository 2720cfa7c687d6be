#pragma once

/// Validation of the conditions of a status (apimachinery's metav1.Condition).

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Each condition has a type that occurs once, a status, a reason and a transition time.
void ValidateConditionList(const json::Value& conditions, const FieldPath& path,
                           FieldErrors& errors);

}  // namespace capstan::testing::server
