#include "apiserver/validation/cron_schedule.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apiserver/validation/names.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

struct CronField {
  uint32_t least;
  uint32_t most;
  std::span<const std::string_view> names;  // names of the values, starting with `least`
};

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
const CronField kFields[] = {
    {0, 59, {}}, {0, 23, {}}, {1, 31, {}}, {1, 12, kMonths}, {0, 6, kWeekdays}};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The functions below return the fault, or "".

std::string ReadNumber(std::string_view text, uint32_t& number) {
  int64_t value = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string quoted(text);
  if (digits.empty() || stop != digits.data() + digits.size() ||
      error == std::errc::invalid_argument) {
    return "failed to parse int from " + quoted + ": strconv.Atoi: parsing " + Quoted(text) +
           ": invalid syntax";
  }
  if (error != std::errc()) {
    return "failed to parse int from " + quoted + ": strconv.Atoi: parsing " + Quoted(text) +
           ": value out of range";
  }
  if (value < 0) {
    return "negative number (" + std::to_string(value) + ") not allowed: " + quoted;
  }
  number = static_cast<uint32_t>(std::min<int64_t>(value, UINT32_MAX));
  return {};
}

std::string ReadNumberOrName(std::string_view text, const CronField& field, uint32_t& number) {
  const std::string lower = text::Lower(text);
  const auto name = std::find(field.names.begin(), field.names.end(), lower);
  if (name == field.names.end()) return ReadNumber(text, number);
  number = field.least + static_cast<uint32_t>(name - field.names.begin());
  return {};
}

std::string FaultOfRange(std::string_view range, const CronField& field) {
  const std::string whole(range);
  const std::vector<std::string_view> range_and_step = Split(range, '/');
  const std::vector<std::string_view> ends = Split(range_and_step[0], '-');
  uint32_t start = field.least;
  uint32_t end = field.most;
  if (ends[0] != "*" && ends[0] != "?") {
    if (std::string fault = ReadNumberOrName(ends[0], field, start); !fault.empty()) return fault;
    if (ends.size() > 2) return "too many hyphens: " + whole;
    end = start;
    if (ends.size() == 2) {
      if (std::string fault = ReadNumberOrName(ends[1], field, end); !fault.empty()) return fault;
    }
  }
  uint32_t step = 1;
  if (range_and_step.size() > 2) return "too many slashes: " + whole;
  if (range_and_step.size() == 2) {
    if (std::string fault = ReadNumber(range_and_step[1], step); !fault.empty()) return fault;
    if (ends.size() == 1) end = field.most;
  }
  const auto text = [](uint32_t number) { return "(" + std::to_string(number) + ")"; };
  if (start < field.least) {
    return "beginning of range " + text(start) + " below minimum " + text(field.least) + ": " +
           whole;
  }
  if (end > field.most) {
    return "end of range " + text(end) + " above maximum " + text(field.most) + ": " + whole;
  }
  if (start > end) {
    return "beginning of range " + text(start) + " beyond end of range " + text(end) + ": " + whole;
  }
  return step == 0 ? "step of range should be a positive number: " + whole : std::string();
}

// Whether the text is a Go duration: "1h30m".
bool IsGoDuration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return true;
  constexpr std::string_view kUnits[] = {"ns", "us", "µs", "ms", "s", "m", "h"};
  constexpr std::string_view kDigits = "0123456789.";
  if (text.empty()) return false;
  while (!text.empty()) {
    const size_t number = std::min(text.find_first_not_of(kDigits), text.size());
    if (number == 0 || text.substr(0, number) == ".") return false;
    text.remove_prefix(number);
    const std::string_view unit = text.substr(0, text.find_first_of(kDigits));
    if (std::find(std::begin(kUnits), std::end(kUnits), unit) == std::end(kUnits)) return false;
    text.remove_prefix(unit.size());
  }
  return true;
}

std::string FaultOfDescriptor(std::string_view descriptor) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (descriptor == known) return {};
  }
  constexpr std::string_view kEvery = "@every ";
  if (!descriptor.starts_with(kEvery)) {
    return "unrecognized descriptor: " + std::string(descriptor);
  }
  const std::string_view duration = descriptor.substr(kEvery.size());
  if (IsGoDuration(duration)) return {};
  return "failed to parse duration " + std::string(descriptor) + ": time: invalid duration " +
         Quoted(duration);
}

// Whether this machine's time zone database has the zone. Without a database, all zones are valid.
bool IsKnownZone(const std::string& zone) {
  const std::filesystem::path database = "/usr/share/zoneinfo";
  std::error_code error;
  if (zone == "UTC" || !std::filesystem::is_directory(database, error)) return true;
  return std::filesystem::is_regular_file(database / zone, error);
}

std::string FaultOfSchedule(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t space = schedule.find(' ');
    if (space == std::string_view::npos) {
      return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    }
    const size_t equals = schedule.find('=');
    const std::string zone(schedule.substr(equals + 1, space - equals - 1));
    if (!zone.empty() && zone != "Local" && !IsKnownZone(zone)) {
      return "provided bad location " + zone + ": unknown time zone " + zone;
    }
    schedule.remove_prefix(space);
    schedule.remove_prefix(std::min(schedule.find_first_not_of(' '), schedule.size()));
  }
  if (schedule.starts_with('@')) return FaultOfDescriptor(schedule);
  std::vector<std::string_view> words;
  for (const std::string_view word : Split(schedule, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  if (words.size() != std::size(kFields)) {
    std::string text = "expected exactly " + std::to_string(std::size(kFields)) +
                       " fields, found " + std::to_string(words.size()) + ": [";
    for (size_t i = 0; i < words.size(); ++i) text.append(i > 0 ? " " : "").append(words[i]);
    return text + "]";
  }
  for (size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view range : Split(words[i], ',')) {
      if (range.empty()) continue;
      if (std::string fault = FaultOfRange(range, kFields[i]); !fault.empty()) return fault;
    }
  }
  return {};
}

bool IsZoneComponent(std::string_view part) {
  constexpr size_t kLongest = 14;
  const auto is_known = [](char c) {
    return text::IsAlphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '+';
  };
  return !part.empty() && part.size() <= kLongest && part != "." && part != ".." &&
         !part.starts_with('-') && std::all_of(part.begin(), part.end(), is_known);
}

}  // namespace

void ValidateCronSchedule(std::string_view schedule, const FieldPath& path, FieldErrors& errors) {
  if (schedule.empty()) {
    errors.Required(path.Text());
    return;
  }
  if (std::string fault = FaultOfSchedule(schedule); !fault.empty()) {
    errors.Invalid(path.Text(), schedule, std::move(fault));
  }
  if (schedule.find("TZ") != std::string_view::npos) {
    errors.Invalid(path.Text(), schedule,
                   "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

void ValidateTimeZone(const json::Value& zone, const FieldPath& path, FieldErrors& errors) {
  if (zone.IsNull()) return;
  const std::string& name = zone.AsString();
  if (name.empty()) {
    errors.Invalid(path.Text(), zone, "timeZone must be nil or non-empty string");
    return;
  }
  for (const std::string_view part : Split(name, '/')) {
    if (IsZoneComponent(part)) continue;
    errors.Invalid(path.Text(), zone, "unknown time zone " + name);
    return;
  }
  const bool local = text::Lower(name) == "local";
  if (local) {
    errors.Invalid(path.Text(), zone,
                   "timeZone must be an explicit time zone as defined in "
                   "https://www.iana.org/time-zones");
  }
  if (name != "Local" && !IsKnownZone(name)) {
    errors.Invalid(path.Text(), zone, "unknown time zone " + name);
  }
}

}  // namespace capstan::testing::server
