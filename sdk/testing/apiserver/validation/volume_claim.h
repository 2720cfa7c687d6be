#pragma once

/// Defaults and validation of PersistentVolumeClaims, including the volumeClaimTemplates of
/// StatefulSets.

#include <string>
#include <vector>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void DefaultVolumeClaim(json::Value& claim);
void ValidateVolumeClaimSpec(const json::Value& spec, const FieldPath& path, FieldErrors& errors);
/// `path` is the path of the spec.
void AddVolumeClaimWarnings(const json::Value& spec, const FieldPath& path,
                            std::vector<std::string>& warnings);

}  // namespace capstan::testing::server
