#pragma once

/// The layouts of a log line: klog's text, and Kubernetes' JSON.

#include <memory>

#include <spdlog/formatter.h>

namespace capstan::log {

/// klog's text format. A line may contain line breaks.
///
/// Threads: a layout has no state, so several threads may use one at the same time.
class TextLayout final : public spdlog::formatter {
 public:
  /// `message` is a Record.
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;
};

/// One JSON object per line, as Kubernetes components log.
///
/// Threads: as TextLayout.
class JsonLayout final : public spdlog::formatter {
 public:
  /// `message` is a Record.
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;
};

}  // namespace capstan::log
