#pragma once

/// Writes log lines to standard error, or passes them to a test.

#include <memory>
#include <string_view>

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <capstan/log/log.h>

namespace capstan::log {

/// Writes each line to standard error before log() returns.
///
/// Threads: any. The lines of all sinks are written one after another, because a pipe only keeps
/// short lines whole. The base class takes no lock: a line is formatted before the lock is taken,
/// because the code that prints a value may log.
class LineSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  /// Several threads use `layout` at the same time.
  explicit LineSink(std::unique_ptr<spdlog::formatter> layout) : base_sink(std::move(layout)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}
};

/// Sends lines to `taker` instead, without their line ends. Null restores standard error.
void DivertLines(LogSink* taker);

/// Writes `text` unchanged to standard error, even if a taker is set.
void WriteToStandardError(std::string_view text);

/// How long the write of the current line has been blocked.
Duration BlockedFor();

}  // namespace capstan::log
