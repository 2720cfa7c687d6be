#pragma once

// The spec of Jobs and of what CronJobs make them from.

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// All but the selector, which a CronJob's template has none of.
void ValidateJobSpec(const json::Value& spec, const FieldPath& path, FieldErrors& errors);
/// An update of a Job's status.
void ValidateJobStatus(const json::Value& job, const json::Value& before, FieldErrors& errors);

/// Whether the condition `type` is "True".
bool HasJobCondition(const json::Value& job, std::string_view type);

}  // namespace capstan::testing::server
