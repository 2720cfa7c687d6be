#pragma once

/// Structured logging, as Kubernetes components do it (klog): a message and key/value pairs, in
/// text or JSON, to standard error.
///
///     LogInfo("Successfully acquired lease", {{"lease", name}});
///     if (LogEnabled(4)) LogV(4, "Syncing", {{"deployment", key}});
///
/// Text lines look like klog's, with its quoting; JSON lines like those of Kubernetes' JSON
/// logging: ts (milliseconds since the epoch), caller, msg, v (infos), level (warnings), err
/// (errors) and the fields. Whatever the values hold, a line cannot pass for another: control
/// characters are escaped, and the lines of a value of several lines are indented.
///
/// Threads: all functions may be called from any thread. Lines are written whole.

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

/// The line of code that speaks.
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
  /// "pattern=N,...": lines of the files whose name, without folder and extension, matches the glob
  /// are written up to verbosity N. The first pattern that fits a file counts. What CheckVModule
  /// refuses is left out.
  std::string vmodule = {};
  const Clock* clock = nullptr;  ///< of the time stamps; null: the system's
};

/// Takes every line that would be written, without its end of line, for tests. Write is called by
/// whichever thread logs, and must not log.
class CAPSTAN_EXPORT LogSink {
 public:
  virtual ~LogSink();
  virtual void Write(std::string_view line) = 0;
};

CAPSTAN_EXPORT void ConfigureLogging(const LogOptions& options);
/// Null puts standard error back.
CAPSTAN_EXPORT void SetLogSink(LogSink* sink);
CAPSTAN_EXPORT void SetLogVerbosity(int verbosity);
/// InvalidArgument that names the first entry that is no "pattern=N".
CAPSTAN_EXPORT Status CheckVModule(std::string_view text);
/// Whether LogV would write a line of `where`. One atomic load where it would not, unless some
/// pattern of LogOptions::vmodule allows this verbosity.
CAPSTAN_EXPORT bool LogEnabled(int verbosity, CodeLocation where = CodeLocation::Current());
/// For how long the line that is being written has not been taken, as by a pipe that is full.
CAPSTAN_EXPORT Duration LogBlockedFor();

CAPSTAN_EXPORT void LogInfo(std::string_view message, std::initializer_list<LogField> fields = {},
                            CodeLocation where = CodeLocation::Current());
CAPSTAN_EXPORT void LogWarning(std::string_view message,
                               std::initializer_list<LogField> fields = {},
                               CodeLocation where = CodeLocation::Current());
/// `error` is written as the field "err"; one that is OK is left out.
CAPSTAN_EXPORT void LogError(const Status& error, std::string_view message,
                             std::initializer_list<LogField> fields = {},
                             CodeLocation where = CodeLocation::Current());
/// Written when the verbosity, or that of a pattern for `where`, is at least `verbosity`.
CAPSTAN_EXPORT void LogV(int verbosity, std::string_view message,
                         std::initializer_list<LogField> fields = {},
                         CodeLocation where = CodeLocation::Current());

}  // namespace capstan
