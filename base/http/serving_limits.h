#pragma once

/// ServingLimits: the limits of a listener.

#include <chrono>
#include <cstddef>

#include <capstan/runtime/clock.h>

#include "base/http/request_reader.h"

namespace capstan::http {

struct ServingLimits {
  /// Timeout for the TLS handshake and the first request of a connection together. For each later
  /// request it starts with the first byte.
  Duration io_timeout = std::chrono::seconds(5);
  /// How long a connection may stay open without a request.
  Duration idle = std::chrono::seconds(90);
  /// Minimum rate at which a client must receive a response. Sending a response may take
  /// `io_timeout` plus its size divided by this rate. Each part of a stream may take `io_timeout`.
  size_t bytes_a_second = 64 << 10;
  /// Maximum number of connections. Above it, a new connection replaces another: see
  /// ConnectionToClose.
  size_t connections = 128;
  /// Number of requests answered at the same time, and how many of these threads are reserved for
  /// clients on this machine.
  size_t threads = 16;
  size_t local_threads = 4;
  RequestLimits request;
};

}  // namespace capstan::http
