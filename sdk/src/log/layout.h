#pragma once

/// What a log line looks like: klog's text, and Kubernetes' JSON.

#include <memory>

#include <spdlog/formatter.h>

namespace capstan::log {

/// klog's text. A line may hold line ends within.
///
/// Threads: a layout has no state, so that several threads may use one at a time.
class TextLayout final : public spdlog::formatter {
 public:
  /// `message` is a Record.
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;
};

/// One JSON object a line, as Kubernetes components log.
///
/// Threads: as TextLayout.
class JsonLayout final : public spdlog::formatter {
 public:
  /// `message` is a Record.
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override;
  std::unique_ptr<spdlog::formatter> clone() const override;
};

}  // namespace capstan::log
