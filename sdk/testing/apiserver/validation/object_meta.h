#pragma once

// metadata, alike for all kinds.

#include <string_view>

#include "apiserver/schema/resource.h"
#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

// Of an object that is being created (the name has been generated already) or updated. `path` is
// "metadata". What the name must be is asked of `strategy`.
void ValidateObjectMeta(const json::Value& meta, bool namespaced, const Strategy& strategy,
                        std::string_view path, FieldErrors& errors);
// Of an update: what stays as it was.
void ValidateObjectMetaUpdate(const json::Value& meta, const json::Value& before,
                              std::string_view path, FieldErrors& errors);

void ValidateLabels(const json::Value& labels, const FieldPath& path, FieldErrors& errors);
void ValidateAnnotations(const json::Value& annotations, const FieldPath& path,
                         FieldErrors& errors);

}  // namespace capstan::testing::server
