#include <capstan/log/log.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include <capstan/runtime/runtime.h>

#include "log/layout.h"
#include "log/line_sink.h"
#include "log/record.h"
#include "log/vmodule.h"

namespace capstan {
namespace {

// Logging begins before main and continues after it, so all of this is constant-initialised.
constinit std::atomic<LogFormat> format{LogFormat::kText};
constinit std::atomic<int> verbosity{0};
constinit std::atomic<const log::VModule*> vmodule{nullptr};
constinit std::atomic<int> highest_verbosity{0};  // of all patterns, and of lines without one
constinit std::mutex settings;                    // held while the three above are changed
constinit std::atomic<const Clock*> clock_of_stamps{nullptr};

// One sink per layout, so that the layout may change while lines are written. The sinks are never
// destroyed. spdlog's registry does not know them, because it would be destroyed before the last
// line.
log::LineSink& CurrentSink() {
  static auto* const text = new log::LineSink(std::make_unique<log::TextLayout>());
  static auto* const json = new log::LineSink(std::make_unique<log::JsonLayout>());
  return format == LogFormat::kJson ? *json : *text;
}

void UpdateHighestVerbosity() {
  const log::VModule* const patterns = vmodule;
  highest_verbosity = std::max(verbosity.load(), patterns ? patterns->highest() : 0);
}

log::Record RecordOf(spdlog::level::level_enum level, std::string_view message,
                     const CodeLocation& where) {
  const Clock* clock = clock_of_stamps;
  log::Record record;
  record.time = (clock ? *clock : SystemRuntime().clock()).Now();
  record.level = level;
  record.source = {where.file, where.line, ""};
  record.payload = {message.data(), message.size()};
  return record;
}

void Write(spdlog::level::level_enum level, int at, std::string_view message, const Status* error,
           std::initializer_list<LogField> fields, const CodeLocation& where) try {
  log::Record record = RecordOf(level, message, where);
  record.verbosity = at;
  record.error = error;
  record.fields = fields;
  CurrentSink().log(record);
} catch (const std::exception&) {
  // A value that cannot be written must not harm the caller.
  log::WriteToStandardError("E failed to write a log line\n");
}

}  // namespace

LogSink::~LogSink() = default;

void ConfigureLogging(const LogOptions& options) {
  format = options.format;
  clock_of_stamps = options.clock;
  std::lock_guard lock(settings);
  verbosity = options.verbosity;
  vmodule = log::VModule::Keep(options.vmodule);
  UpdateHighestVerbosity();
}

void SetLogSink(LogSink* new_sink) { log::DivertLines(new_sink); }
void SetLogVerbosity(int new_verbosity) {
  std::lock_guard lock(settings);
  verbosity = new_verbosity;
  UpdateHighestVerbosity();
}

Status CheckVModule(std::string_view text) { return log::VModule::Parse(text).status(); }

bool LogEnabled(int at, CodeLocation where) {
  if (at > highest_verbosity.load(std::memory_order_relaxed)) return false;
  if (at <= verbosity.load(std::memory_order_relaxed)) return true;
  const log::VModule* const patterns = vmodule.load(std::memory_order_acquire);
  return patterns && at <= patterns->VerbosityOf(where.file);
}

Duration LogBlockedFor() { return log::BlockedFor(); }

void LogInfo(std::string_view message, std::initializer_list<LogField> fields, CodeLocation where) {
  Write(spdlog::level::info, 0, message, nullptr, fields, where);
}

void LogWarning(std::string_view message, std::initializer_list<LogField> fields,
                CodeLocation where) {
  Write(spdlog::level::warn, 0, message, nullptr, fields, where);
}

void LogError(const Status& error, std::string_view message, std::initializer_list<LogField> fields,
              CodeLocation where) {
  Write(spdlog::level::err, 0, message, &error, fields, where);
}

void LogV(int at, std::string_view message, std::initializer_list<LogField> fields,
          CodeLocation where) {
  if (LogEnabled(at, where)) Write(spdlog::level::info, at, message, nullptr, fields, where);
}

}  // namespace capstan
