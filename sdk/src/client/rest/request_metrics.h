#pragma once

// What a client tells about its requests to one host, under client-go's names; and about a rate
// that adapts, which client-go has not.

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

// Threads: all methods may be called from any thread.
class RequestMetrics {
 public:
  explicit RequestMetrics(std::string host) : host_(std::move(host)) {}

  // `code`: "<error>" when there was no answer.
  void Answered(const std::string& method, const std::string& code, Duration took);
  // A request waited so long for the client's own rate limit.
  void Waited(const std::string& method, Duration waited);
  // The bytes of a body; of answers only of those that were read whole.
  void Sent(const std::string& method, size_t bytes);
  void Received(const std::string& method, size_t bytes);
  void Repeated(const std::string& method, const std::string& code);
  // For as long as this lives, `rate` tells the rate, which adapts to the server.
  void ShowRate(std::function<double()> rate);
  // The server made the client lower it: "refused" or "slow".
  void Throttled(const std::string& reason);

 private:
  // A look-up in the registry costs more than a small request.
  struct OfMethod {
    Histogram duration;
    Histogram wait;
    Histogram request_size;
    Histogram response_size;
    std::map<std::string, Counter> answers;  // by code
  };
  OfMethod& Of(const std::string& method) CAPSTAN_REQUIRES(mutex_);

  const std::string host_;
  std::shared_ptr<void> rate_;  // set before there are requests
  Mutex mutex_;
  std::map<std::string, OfMethod> methods_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
