#pragma once

// Credentials: where a transport gets the credential of each request from. client/auth implements
// it.

#include <string>

#include <capstan/runtime/status.h>

#include "client/http/http_transport_scope.h"
#include "client/http/tls_context.h"

namespace capstan::client {

struct Credential {
  std::string authorization;      // the header's value, or ""
  ClientCertificate certificate;  // in place of the configured one, unless empty
  friend bool operator==(const Credential&, const Credential&) = default;
};

// Threads: all methods may be called from any thread.
class Credentials {
 public:
  virtual ~Credentials() = default;
  virtual Result<Credential> Get(const RequestScope& scope) = 0;
  // The server has answered 401 to `refused`: looks for a newer credential at once. What it gives
  // equals `refused` when there is none.
  virtual Result<Credential> Refresh(const Credential& refused, const RequestScope& scope) = 0;
};

}  // namespace capstan::client
