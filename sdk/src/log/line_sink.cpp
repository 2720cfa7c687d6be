#include "log/line_sink.h"

#include <errno.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>

namespace capstan::log {
namespace {

// Logging begins before main and continues after it, so all of this is constant-initialised.
constinit std::atomic<LogSink*> line_taker{nullptr};
constinit std::mutex standard_error;
constinit std::atomic<Duration::rep> writing_since{0};  // monotonic; 0: no write in progress

Duration SteadyNow() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

void LineSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  if (LogSink* const taker = line_taker) return taker->Write({line.data(), line.size()});
  line.push_back('\n');
  WriteToStandardError({line.data(), line.size()});
}

void DivertLines(LogSink* taker) { line_taker = taker; }

// The lock is held across the write on purpose. One call writes the line. More calls are needed
// only if the system takes a part of it. spdlog's own sinks use stdio, which gives up at EINTR.
void WriteToStandardError(std::string_view text) {
  std::lock_guard lock(standard_error);
  writing_since = SteadyNow().count();
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;  // there is nowhere to report it
    text.remove_prefix(static_cast<size_t>(written));
  }
  writing_since = 0;
}

Duration BlockedFor() {
  const Duration since(writing_since.load());
  return since == Duration::zero() ? since : SteadyNow() - since;
}

}  // namespace capstan::log
