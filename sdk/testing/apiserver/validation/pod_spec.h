#pragma once

/// Validation of pods and pod templates.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

enum class PodSpecOf : uint8_t { kPod, kTemplate };

/// Validates `spec`, which has its defaults.
void ValidatePodSpec(const json::Value& spec, PodSpecOf of, const FieldPath& path,
                     FieldErrors& errors);
/// Validates the annotations that affect pods.
void ValidatePodAnnotations(const json::Value& annotations, const json::Value& spec,
                            const FieldPath& path, FieldErrors& errors);
/// Validates the template of a Deployment or ReplicaSet at `path`.
void ValidatePodTemplate(const json::Value& pod_template, const FieldPath& path,
                         FieldErrors& errors);
void ValidateTolerations(const json::Value& tolerations, const FieldPath& path,
                         FieldErrors& errors);
/// The effect must be NoSchedule, PreferNoSchedule or NoExecute.
void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
