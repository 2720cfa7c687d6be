#pragma once

/// Transport: the only way out of the process to an API server.
///
/// In production it is HTTP over TLS (`NewHttpTransport`); tests put a scripted or embedded server
/// behind it, fault injectors wrap it.
///
/// Threads: RoundTrip may be called from any number of threads. A Response belongs to one thread.

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

struct HttpRequest {
  std::string method;  ///< "GET", "POST", "PATCH", "DELETE", ...
  std::string target;  ///< path and query, escaped: "/api/v1/pods?limit=500"
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  /// From the call to the last byte of the answer; nullopt for watches, which have none.
  std::optional<Duration> timeout = std::chrono::seconds(30);
  /// From this moment on it is not sent: Canceled. Looked at last just before the first byte.
  std::optional<MonotonicTime> send_before = {};
};

/// An answer whose body is read piece by piece. Destroying it before the end gives the connection
/// up.
class CAPSTAN_EXPORT HttpResponse {
 public:
  virtual ~HttpResponse();
  virtual int status() const = 0;
  /// The header's value, or "". `name` in any case.
  virtual std::string Header(std::string_view name) const = 0;
  /// Reads what is there, at most `size` bytes; waits when there is nothing. 0 = the end. Errors:
  /// Transport (torn), DeadlineExceeded, Canceled.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;
};

class CAPSTAN_EXPORT Transport {
 public:
  virtual ~Transport();
  /// Sends `request` and returns when the answer's head is there; any HTTP status is a success
  /// here. `stop` covers the reading of the body too. Errors as for Read.
  virtual Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                          std::stop_token stop) = 0;
};

/// For implementations of Transport, just before the first byte leaves: OK, or the Canceled of a
/// request whose `send_before` has passed. It is not ambiguous: nothing was sent.
CAPSTAN_EXPORT Status CheckSendBefore(const HttpRequest& request, MonotonicTime now);

/// Reads the whole body; a body over `limit` bytes is a Malformed error.
CAPSTAN_EXPORT Result<std::string> ReadAll(HttpResponse& response, size_t limit);

}  // namespace capstan
