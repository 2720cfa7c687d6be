#include "apiserver/print/human_duration.h"

#include <chrono>
#include <cstdint>

#include <capstan/api/time.h>
#include <capstan/runtime/format.h>

namespace capstan::testing::server {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kYear = 365 * kDay;

struct Step {
  int64_t below;  // seconds
  int64_t unit;
  char name;
  int64_t rest_unit;  // 0 = the rest is omitted
  char rest_name;
};
// Each step prints two to three significant figures.
constexpr Step kSteps[] = {
    {2 * kMinute, 1, 's', 0, 0},     {10 * kMinute, kMinute, 'm', 1, 's'},
    {3 * kHour, kMinute, 'm', 0, 0}, {8 * kHour, kHour, 'h', kMinute, 'm'},
    {2 * kDay, kHour, 'h', 0, 0},    {8 * kDay, kDay, 'd', kHour, 'h'},
    {2 * kYear, kDay, 'd', 0, 0},    {8 * kYear, kYear, 'y', kDay, 'd'},
};

std::string Count(int64_t number, char unit) { return std::to_string(number) + unit; }

}  // namespace

std::string HumanDuration(Duration duration) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  // Tolerates clock skew: up to one second ahead counts as now.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  for (const Step& step : kSteps) {
    if (seconds >= step.below) continue;
    std::string text = Count(seconds / step.unit, step.name);
    if (step.rest_unit == 0) return text;
    const int64_t rest = seconds % step.unit / step.rest_unit;
    return rest == 0 ? text : text + Count(rest, step.rest_name);
  }
  return Count(seconds / kYear, 'y');
}

std::string AgeOf(const json::Value& time, WallTime now) {
  const auto parsed = api::MicroTime::Parse(time.AsString());
  if (!parsed || parsed->IsZero()) return "<unknown>";
  return HumanDuration(now - parsed->ToWallTime());
}

}  // namespace capstan::testing::server
