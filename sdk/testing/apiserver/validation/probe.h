#pragma once

// Probes and lifecycle handlers of containers.

#include <optional>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

// `grace_period` is the pod's terminationGracePeriodSeconds.
void ValidateLifecycle(const json::Value& lifecycle, int64_t grace_period, const FieldPath& path,
                       FieldErrors& errors);
// livenessProbe, readinessProbe and startupProbe, where the container has them.
void ValidateProbes(const json::Value& container, int64_t grace_period, const FieldPath& path,
                    FieldErrors& errors);
// A port's number or name.
void ValidatePortOrName(const json::Value& port, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
