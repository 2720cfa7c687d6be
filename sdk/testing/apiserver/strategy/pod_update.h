#pragma once

/// Validation of updates of pods.

#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidatePodUpdate(const json::Value& pod, const json::Value& before, FieldErrors& errors);
void ValidatePodStatusUpdate(const json::Value& pod, const json::Value& before,
                             FieldErrors& errors);

}  // namespace capstan::testing::server
