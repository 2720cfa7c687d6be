#pragma once

/// Transport: the only path for requests to an API server.
///
/// In production it is HTTP over TLS (`NewHttpTransport`). Tests use a scripted or embedded server,
/// and fault injectors wrap a transport.
///
/// Threads: RoundTrip may be called from any number of threads at once. An HttpResponse is used by
/// one thread.

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
  /// The time from the call to the last byte of the response. nullopt for watches, which have no
  /// timeout.
  std::optional<Duration> timeout = std::chrono::seconds(30);
  /// The request is not sent at or after this time; it ends with Canceled. Checked just before the
  /// first byte.
  std::optional<MonotonicTime> send_before = {};
};

/// A response whose body is read in pieces. Destroying it before the end abandons the connection.
class CAPSTAN_EXPORT HttpResponse {
 public:
  virtual ~HttpResponse();
  virtual int status() const = 0;
  /// The header's value, or "". `name` is case-insensitive.
  virtual std::string Header(std::string_view name) const = 0;
  /// Reads the available bytes, at most `size`. Waits if none are available. Returns 0 at the end.
  /// Errors: Transport (broken connection), DeadlineExceeded, Canceled.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;
};

class CAPSTAN_EXPORT Transport {
 public:
  virtual ~Transport();
  /// Sends `request` and returns when the response headers have arrived. Any HTTP status is a
  /// success. `stop` also covers reading the body. The errors are those of Read.
  virtual Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                          std::stop_token stop) = 0;
};

/// For implementations of Transport: checks `send_before` just before the first byte is sent.
/// Returns OK, or Canceled if the time has passed. Canceled is not ambiguous: nothing was sent.
CAPSTAN_EXPORT Status CheckSendBefore(const HttpRequest& request, MonotonicTime now);

/// Reads the whole body. A body larger than `limit` bytes is a Malformed error.
CAPSTAN_EXPORT Result<std::string> ReadAll(HttpResponse& response, size_t limit);

}  // namespace capstan
