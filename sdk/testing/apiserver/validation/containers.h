#pragma once

/// Validation of the containers of pods.

#include <set>
#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates containers, then initContainers, of the pod spec at `path`. `volumes` are the names of
/// the volumes that can be mounted.
void ValidateContainers(const json::Value& pod_spec, const std::set<std::string_view>& volumes,
                        const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
