#pragma once

// What a HorizontalPodAutoscaler scales, and the metrics that it looks at.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// A reference {apiVersion, kind, name}; `core`: whether it may be to a kind of core/v1.
void ValidateScaleTarget(const json::Value& reference, bool core, const FieldPath& path,
                         FieldErrors& errors);
void ValidateMetricSpec(const json::Value& metric, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
