#pragma once

/// Structured logging, as Kubernetes components do it (klog): a message and key/value pairs, in text
/// or JSON, to standard error.
///
///     LogInfo("Successfully acquired lease", {{"lease", name}});
///     if (LogEnabled(4)) LogV(4, "Syncing", {{"deployment", key}});
///
/// Threads: all functions may be called from any thread. Lines are written whole.

#include <initializer_list>
#include <string>
#include <string_view>

#include <capstan/export.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/status.h>

namespace capstan {

enum class LogFormat : uint8_t { kText, kJson };
enum class LogLevel : uint8_t { kInfo, kWarning, kError };

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
};

/// Takes every line that would be written, for tests; null puts standard error back.
class CAPSTAN_EXPORT LogSink {
 public:
  virtual ~LogSink();
  virtual void Write(std::string_view line) = 0;
};

CAPSTAN_EXPORT void ConfigureLogging(const LogOptions& options);
CAPSTAN_EXPORT void SetLogSink(LogSink* sink);
CAPSTAN_EXPORT void SetLogVerbosity(int verbosity);
CAPSTAN_EXPORT bool LogEnabled(int verbosity);

CAPSTAN_EXPORT void LogInfo(std::string_view message, std::initializer_list<LogField> fields = {},
                            CodeLocation where = CodeLocation::Current());
CAPSTAN_EXPORT void LogWarning(std::string_view message,
                               std::initializer_list<LogField> fields = {},
                               CodeLocation where = CodeLocation::Current());
/// `error` is written as the field "err".
CAPSTAN_EXPORT void LogError(const Status& error, std::string_view message,
                             std::initializer_list<LogField> fields = {},
                             CodeLocation where = CodeLocation::Current());
/// Written when the verbosity is at least `verbosity`.
CAPSTAN_EXPORT void LogV(int verbosity, std::string_view message,
                         std::initializer_list<LogField> fields = {},
                         CodeLocation where = CodeLocation::Current());

}  // namespace capstan
