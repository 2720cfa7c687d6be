#pragma once

/// Validation of the volumes of pods and of their mounts in containers.

#include <set>
#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates volumes. Returns the names of the well-formed volumes, which can be mounted.
std::set<std::string_view> ValidateVolumes(const json::Value& volumes, const FieldPath& path,
                                           FieldErrors& errors);
/// Validates the mounts of the container at `path`.
void ValidateVolumeMounts(const json::Value& container, const std::set<std::string_view>& volumes,
                          const FieldPath& path, FieldErrors& errors);
void ValidatePathWithoutBacksteps(std::string_view text, const FieldPath& path,
                                  FieldErrors& errors);

}  // namespace capstan::testing::server
