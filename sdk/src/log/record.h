#pragma once

/// A log line before it has a layout.

#include <initializer_list>

#include <spdlog/details/log_msg.h>

#include <capstan/log/log.h>

namespace capstan::log {

/// What spdlog's sinks and formatters pass on, and what structured logging adds to it. Every
/// message that reaches a sink of this folder is one.
struct Record : spdlog::details::log_msg {
  int verbosity = 0;
  const Status* error = nullptr;  ///< null or OK: none
  std::initializer_list<LogField> fields;
};

}  // namespace capstan::log
