#pragma once

// PersistentVolumeClaims, also those that a StatefulSet makes from its templates.

#include <string>
#include <vector>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void DefaultVolumeClaim(json::Value& claim);
void ValidateVolumeClaimSpec(const json::Value& spec, const FieldPath& path, FieldErrors& errors);
/// `path` is the spec's.
void AddVolumeClaimWarnings(const json::Value& spec, const FieldPath& path,
                            std::vector<std::string>& warnings);

}  // namespace capstan::testing::server
