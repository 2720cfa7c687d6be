#pragma once

/// Validation of the scale target and the metrics of HorizontalPodAutoscalers.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates a reference {apiVersion, kind, name}. `core` allows kinds of core/v1.
void ValidateScaleTarget(const json::Value& reference, bool core, const FieldPath& path,
                         FieldErrors& errors);
void ValidateMetricSpec(const json::Value& metric, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
