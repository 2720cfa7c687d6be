#pragma once

/// Validation of the probes and lifecycle handlers of containers.

#include <optional>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// `grace_period` is the pod's terminationGracePeriodSeconds.
void ValidateLifecycle(const json::Value& lifecycle, int64_t grace_period, const FieldPath& path,
                       FieldErrors& errors);
/// Validates livenessProbe, readinessProbe and startupProbe, if the container has them.
void ValidateProbes(const json::Value& container, int64_t grace_period, const FieldPath& path,
                    FieldErrors& errors);
/// Validates the number or name of a port.
void ValidatePortOrName(const json::Value& port, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
