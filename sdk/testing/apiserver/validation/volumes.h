#pragma once

// Volumes of pods and where containers mount them.

#include <set>
#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

// The names of the volumes that are well formed: those that can be mounted.
std::set<std::string_view> ValidateVolumes(const json::Value& volumes, const FieldPath& path,
                                           FieldErrors& errors);
// Of the container at `path`.
void ValidateVolumeMounts(const json::Value& container, const std::set<std::string_view>& volumes,
                          const FieldPath& path, FieldErrors& errors);
void ValidatePathWithoutBacksteps(std::string_view text, const FieldPath& path,
                                  FieldErrors& errors);

}  // namespace capstan::testing::server
