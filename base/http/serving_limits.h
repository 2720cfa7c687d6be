#pragma once

/// ServingLimits: what bounds a listener.

#include <chrono>
#include <cstddef>

#include <capstan/runtime/clock.h>

#include "base/http/request_reader.h"

namespace capstan::http {

struct ServingLimits {
  /// How long a client may take, in total, for its TLS handshake and its request. The next request
  /// of a connection has this time from its first byte.
  Duration patience = std::chrono::seconds(5);
  /// How long a connection may be without a request.
  Duration idle = std::chrono::seconds(90);
  /// A client must take the response at this rate, after as long as `patience`.
  size_t bytes_a_second = 64 << 10;
  /// With so many connections a new one closes another: see ConnectionToClose.
  size_t connections = 128;
  /// How many requests are answered at the same time, and how many of these threads are only for
  /// clients on this machine.
  size_t threads = 16;
  size_t local_threads = 4;
  RequestLimits request;
};

}  // namespace capstan::http
