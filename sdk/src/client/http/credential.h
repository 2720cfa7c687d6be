#pragma once

/// Credentials: the source of the credential of each request of a transport. client/auth implements
/// it.

#include <string>

#include <capstan/runtime/status.h>

#include "client/http/http_transport_scope.h"
#include "client/http/tls_context.h"

namespace capstan::client {

struct Credential {
  std::string authorization;      ///< the header's value, or ""
  ClientCertificate certificate;  ///< replaces the configured one unless empty
  friend bool operator==(const Credential&, const Credential&) = default;
};

/// Threads: all methods may be called from any thread.
class Credentials {
 public:
  virtual ~Credentials() = default;
  virtual Result<Credential> Get(const RequestScope& scope) = 0;
  /// The server has responded 401 to `refused`. Looks for a newer credential at once. Returns one
  /// equal to `refused` if there is none.
  virtual Result<Credential> Refresh(const Credential& refused, const RequestScope& scope) = 0;
};

}  // namespace capstan::client
