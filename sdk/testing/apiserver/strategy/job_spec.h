#pragma once

/// Validation of the specs of Jobs and of the Job templates of CronJobs.

#include <string>
#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Validates a Job spec without its selector. A CronJob's template has no selector.
void ValidateJobSpec(const json::Value& spec, const FieldPath& path, FieldErrors& errors);
/// Validates an update of a Job's status.
void ValidateJobStatus(const json::Value& job, const json::Value& before, FieldErrors& errors);

/// A success policy as Go prints its internal struct.
std::string PrintedSuccessPolicy(const json::Value& policy);

/// Whether the condition `type` is "True".
bool HasJobCondition(const json::Value& job, std::string_view type);

}  // namespace capstan::testing::server
