#include <capstan/log/log.h>

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>

#include <capstan/runtime/runtime.h>

#include "log/line.h"
#include "log/vmodule.h"

namespace capstan {
namespace {

// Logging begins before main and goes on after it, so all of this is constant-initialised.
constinit std::atomic<LogFormat> format{LogFormat::kText};
constinit std::atomic<int> verbosity{0};
constinit std::atomic<const log::VModule*> vmodule{nullptr};
constinit std::atomic<int> highest_verbosity{0};  // of all patterns and of the lines without one
constinit std::mutex settings;                    // held by whoever changes the three above
constinit std::atomic<const Clock*> clock_of_stamps{nullptr};
constinit std::atomic<LogSink*> sink{nullptr};
constinit std::mutex standard_error;
constinit std::atomic<Duration::rep> writing_since{0};  // monotonic; 0: nothing is being written

Duration SteadyNow() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

// The lock is held across the write on purpose: a pipe keeps only short lines whole by itself. One
// call writes the line; more are needed only when the system takes a part of it.
void WriteToStandardError(std::string_view text) {
  std::lock_guard lock(standard_error);
  writing_since = SteadyNow().count();
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;  // nobody to tell
    text.remove_prefix(static_cast<size_t>(written));
  }
  writing_since = 0;
}

void UpdateHighestVerbosity() {
  const log::VModule* const patterns = vmodule;
  highest_verbosity = std::max(verbosity.load(), patterns ? patterns->highest() : 0);
}

void Write(LogLevel level, int at, std::string_view message, const Status* error,
           std::initializer_list<LogField> fields, const CodeLocation& where) try {
  const Clock* clock = clock_of_stamps;
  const WallTime now = (clock ? *clock : SystemRuntime().clock()).Now();
  const log::Record record{level, at, now, message, error, fields, where};
  std::string line = format == LogFormat::kJson ? log::JsonLine(record) : log::TextLine(record);
  if (LogSink* taker = sink) return taker->Write(line);
  line += '\n';
  WriteToStandardError(line);
} catch (const std::exception&) {
  // A value that can not be written must not harm who logs it.
  WriteToStandardError("E a log line was lost: writing it failed\n");
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

void SetLogSink(LogSink* new_sink) { sink = new_sink; }
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

Duration LogBlockedFor() {
  const Duration since(writing_since.load());
  return since == Duration::zero() ? since : SteadyNow() - since;
}

void LogInfo(std::string_view message, std::initializer_list<LogField> fields, CodeLocation where) {
  Write(LogLevel::kInfo, 0, message, nullptr, fields, where);
}

void LogWarning(std::string_view message, std::initializer_list<LogField> fields,
                CodeLocation where) {
  Write(LogLevel::kWarning, 0, message, nullptr, fields, where);
}

void LogError(const Status& error, std::string_view message, std::initializer_list<LogField> fields,
              CodeLocation where) {
  Write(LogLevel::kError, 0, message, &error, fields, where);
}

void LogV(int at, std::string_view message, std::initializer_list<LogField> fields,
          CodeLocation where) {
  if (LogEnabled(at, where)) Write(LogLevel::kInfo, at, message, nullptr, fields, where);
}

}  // namespace capstan
