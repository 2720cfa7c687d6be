#pragma once

/// The metrics of a client's requests to one host, with client-go's names, and of the adaptive
/// rate, which client-go does not have.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

/// Threads: all methods may be called from any thread.
class RequestMetrics {
 public:
  explicit RequestMetrics(std::string host) : host_(std::move(host)) {}

  /// `code`: "<error>" if there was no response.
  void Answered(const std::string& method, const std::string& code, Duration took);
  /// Records the time that a request waited for the client's own rate limit.
  void Waited(const std::string& method, Duration waited);
  /// The bytes of a body. A response counts only if its body was read completely.
  void Sent(const std::string& method, size_t bytes);
  void Received(const std::string& method, size_t bytes);
  void Repeated(const std::string& method, const std::string& code);
  /// Exports `rate`, the adaptive rate, for the lifetime of this object.
  void ShowRate(std::function<double()> rate);
  /// The server made the client lower the rate. `reason`: "refused" or "slow".
  void Throttled(const std::string& reason);

 private:
  // Kept here, because a lookup in the registry costs more than a small request.
  struct OfMethod {
    Histogram duration;
    Histogram wait;
    Histogram request_size;
    Histogram response_size;
    std::map<std::string, Counter> answers;  // by code
  };
  OfMethod& Of(const std::string& method) CAPSTAN_REQUIRES(mutex_);

  const std::string host_;
  std::shared_ptr<void> rate_;  // set before the first request
  Mutex mutex_;
  std::map<std::string, OfMethod> methods_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
