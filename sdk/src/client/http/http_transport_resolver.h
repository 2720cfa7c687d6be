#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "client/http/http_transport_scope.h"

namespace capstan::client {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  std::string ToString() const;
};

/// Resolves the addresses of one host. The system's lookup cannot be interrupted, so it runs in a
/// separate thread, at most one at a time. A caller that stops waiting leaves it running.
///
/// Threads: Resolve may be called from any thread. The destructor waits for a running lookup.
class Resolver {
 public:
  Resolver(std::string host, uint16_t port, Runtime& runtime);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  /// Returns at least one address, in the system's order.
  Result<std::vector<Address>> Resolve(const RequestScope& scope, MonotonicTime limit);

 private:
  struct Lookup;
  std::shared_ptr<Lookup> JoinLookup();

  const std::string host_;
  const uint16_t port_;
  Runtime& runtime_;
  Mutex mutex_;
  std::shared_ptr<Lookup> current_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::client
