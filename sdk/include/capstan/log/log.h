#pragma once

/// Structured logging, as in Kubernetes components (klog): a message and key/value pairs, in text
/// or JSON, to standard error.
///
///     LogInfo("Successfully acquired lease", {{"lease", name}});
///     if (LogEnabled(4)) LogV(4, "Syncing", {{"deployment", key}});
///
/// Text lines have klog's format and quoting. JSON lines have the format of Kubernetes JSON
/// logging: ts (milliseconds since the epoch), caller, msg, v (infos), level (warnings), err
/// (errors) and the fields. A value cannot forge a log line: control characters are escaped, and
/// the lines of a multi-line value are indented.
///
/// Threads: all functions may be called from any thread. Each line is written atomically.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/status.h>

namespace capstan {

enum class LogFormat : uint8_t { kText, kJson };

/// The source location of a log call.
struct CodeLocation {
  const char* file;
  int line;
  static constexpr CodeLocation Current(const char* file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
    return {file, line};
  }
};

struct LogField {
  std::string_view key;
  FormatArg value;
};

struct LogOptions {
  LogFormat format = LogFormat::kText;
  int verbosity = 0;
  /// "pattern=N,...": lines of files whose name, without folder and extension, matches the glob are
  /// written up to verbosity N. The first matching pattern applies. Entries that CheckVModule
  /// rejects are ignored.
  std::string vmodule = {};
  const Clock* clock = nullptr;  ///< for time stamps; null: the system clock
};

/// For tests: receives every log line, without its line end. The logging thread calls Write. Write
/// must not log.
class CAPSTAN_EXPORT LogSink {
 public:
  virtual ~LogSink();
  virtual void Write(std::string_view line) = 0;
};

CAPSTAN_EXPORT void ConfigureLogging(const LogOptions& options);
/// Null restores standard error.
CAPSTAN_EXPORT void SetLogSink(LogSink* sink);
CAPSTAN_EXPORT void SetLogVerbosity(int verbosity);
/// Returns InvalidArgument for the first entry that is not "pattern=N"; the message names it.
CAPSTAN_EXPORT Status CheckVModule(std::string_view text);
/// Returns whether LogV would write a line at `where`. Costs one atomic load if the answer is no,
/// unless a pattern of LogOptions::vmodule allows this verbosity.
CAPSTAN_EXPORT bool LogEnabled(int verbosity, CodeLocation where = CodeLocation::Current());
/// Returns how long the current line has been blocked in writing, e.g. by a full pipe.
CAPSTAN_EXPORT Duration LogBlockedFor();

CAPSTAN_EXPORT void LogInfo(std::string_view message, std::initializer_list<LogField> fields = {},
                            CodeLocation where = CodeLocation::Current());
CAPSTAN_EXPORT void LogWarning(std::string_view message,
                               std::initializer_list<LogField> fields = {},
                               CodeLocation where = CodeLocation::Current());
/// `error` is written as the field "err", unless it is OK.
CAPSTAN_EXPORT void LogError(const Status& error, std::string_view message,
                             std::initializer_list<LogField> fields = {},
                             CodeLocation where = CodeLocation::Current());
/// Writes the line if the verbosity, or that of a pattern for `where`, is at least `verbosity`.
CAPSTAN_EXPORT void LogV(int verbosity, std::string_view message,
                         std::initializer_list<LogField> fields = {},
                         CodeLocation where = CodeLocation::Current());

}  // namespace capstan
