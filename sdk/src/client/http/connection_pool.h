#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>

#include "client/http/http_transport_connection.h"

namespace capstan::client {

/// The idle connections to one server. The number of connections in use is not limited.
///
/// Threads: all methods may be called from any thread.
class ConnectionPool {
 public:
  /// The limits of client-go.
  static constexpr size_t kMaxIdle = 25;
  static constexpr Duration kIdleTimeout = std::chrono::seconds(90);

  explicit ConnectionPool(const Clock& clock) : clock_(clock) {}

  /// Returns the last used connection that is still open and was created with `tls`, or null.
  std::unique_ptr<Connection> Take(const TlsContext* tls);
  /// Keeps `connection` for the next request if it can serve one.
  void Put(std::unique_ptr<Connection> connection);

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    MonotonicTime since;
  };
  using Dropped = std::vector<std::unique_ptr<Connection>>;
  void DropExpired(Dropped& dropped) CAPSTAN_REQUIRES(mutex_);

  const Clock& clock_;
  Mutex mutex_;
  std::vector<Idle> idle_ CAPSTAN_GUARDED_BY(mutex_);  // by time, the last used at the end
};

}  // namespace capstan::client
