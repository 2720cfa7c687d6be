#pragma once

// Pods and templates of pods.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

enum class PodSpecOf : uint8_t { kPod, kTemplate };

// `spec` with its defaults.
void ValidatePodSpec(const json::Value& spec, PodSpecOf of, const FieldPath& path,
                     FieldErrors& errors);
// Annotations that mean something to pods.
void ValidatePodAnnotations(const json::Value& annotations, const json::Value& spec,
                            const FieldPath& path, FieldErrors& errors);
// A Deployment's or ReplicaSet's template at `path`.
void ValidatePodTemplate(const json::Value& pod_template, const FieldPath& path,
                         FieldErrors& errors);
void ValidateTolerations(const json::Value& tolerations, const FieldPath& path,
                         FieldErrors& errors);
// NoSchedule, PreferNoSchedule or NoExecute.
void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
