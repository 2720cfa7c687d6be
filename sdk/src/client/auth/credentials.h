#pragma once

// Who we are, request by request.

#include <cstdint>
#include <memory>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>
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

// The credentials that `config` names. What can be checked beforehand is.
Result<std::unique_ptr<Credentials>> NewCredentials(const RestConfig& config, Runtime& runtime);

}  // namespace capstan::client
