#pragma once

/// Validation of CronJob schedules: "*/5 * * * *", "@hourly", "@every 1h30m".
/// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax

#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateCronSchedule(std::string_view schedule, const FieldPath& path, FieldErrors& errors);
/// `zone` is null or a name from the time zone database.
void ValidateTimeZone(const json::Value& zone, const FieldPath& path, FieldErrors& errors);

}  // namespace capstan::testing::server
