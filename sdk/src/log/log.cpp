#include <capstan/log/log.h>

#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <string>

#include <capstan/runtime/runtime.h>

#include "log/line.h"

namespace capstan {
namespace {

// Logging begins before main and goes on after it, so all of this is constant-initialised.
constinit std::atomic<LogFormat> format{LogFormat::kText};
constinit std::atomic<int> verbosity{0};
constinit std::atomic<const Clock*> clock_of_stamps{nullptr};
constinit std::atomic<LogSink*> sink{nullptr};
constinit std::mutex standard_error;

// The lock is held across the write on purpose: a pipe keeps only short lines whole by itself. One
// call writes the line; more are needed only when the system takes a part of it.
void WriteToStandardError(std::string_view text) {
  std::lock_guard lock(standard_error);
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody to tell
    text.remove_prefix(static_cast<size_t>(written));
  }
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
  verbosity = options.verbosity;
  clock_of_stamps = options.clock;
}

void SetLogSink(LogSink* new_sink) { sink = new_sink; }
void SetLogVerbosity(int new_verbosity) { verbosity = new_verbosity; }
bool LogEnabled(int at) { return at <= verbosity.load(std::memory_order_relaxed); }

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
  if (LogEnabled(at)) Write(LogLevel::kInfo, at, message, nullptr, fields, where);
}

}  // namespace capstan
