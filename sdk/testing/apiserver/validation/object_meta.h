#pragma once

/// Validation of metadata, which is the same for all kinds.

#include <string_view>

#include "apiserver/schema/resource.h"
#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates the metadata of a create (after the name is generated) or an update. `path` is
/// "metadata". `strategy` validates the name.
void ValidateObjectMeta(const json::Value& meta, bool namespaced, const Strategy& strategy,
                        std::string_view path, FieldErrors& errors);
/// Validates that an update does not change immutable metadata.
void ValidateObjectMetaUpdate(const json::Value& meta, const json::Value& before,
                              std::string_view path, FieldErrors& errors);

void ValidateLabels(const json::Value& labels, const FieldPath& path, FieldErrors& errors);
void ValidateAnnotations(const json::Value& annotations, const FieldPath& path,
                         FieldErrors& errors);

}  // namespace capstan::testing::server
