#pragma once

/// A log line before formatting.

#include <initializer_list>

#include <spdlog/details/log_msg.h>

#include <capstan/log/log.h>

namespace capstan::log {

/// The message of spdlog's sinks and formatters, with the additions of structured logging. Every
/// message that reaches a sink of this folder is a Record.
struct Record : spdlog::details::log_msg {
  int verbosity = 0;
  const Status* error = nullptr;  ///< null or OK: none
  std::initializer_list<LogField> fields;
};

}  // namespace capstan::log
