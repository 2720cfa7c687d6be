#pragma once

/// Where log lines go: to standard error, or to whoever takes them in a test.

#include <memory>
#include <string_view>

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <capstan/log/log.h>

namespace capstan::log {

/// Writes each line to standard error before log() returns.
///
/// Threads: any. The lines of all sinks are written one by one, as a pipe keeps only short lines
/// whole by itself. The base class locks nothing: a line gets its layout before the lock is taken,
/// since the code that prints a value may log.
class LineSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  /// `layout` is used by several threads at a time.
  explicit LineSink(std::unique_ptr<spdlog::formatter> layout) : base_sink(std::move(layout)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}
};

/// Lines go to `taker` instead, without their end of line; null: to standard error again.
void DivertLines(LogSink* taker);

/// Writes `text` as it is, whoever takes the lines.
void WriteToStandardError(std::string_view text);

/// For how long the line that is being written has not been taken.
Duration BlockedFor();

}  // namespace capstan::log
