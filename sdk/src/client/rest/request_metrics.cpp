#include "client/rest/request_metrics.h"

#include <chrono>
#include <utility>
#include <vector>

namespace capstan {
namespace {

double InSeconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

Histogram NewLatency(std::string_view name, std::string_view help, const std::string& verb,
                     const std::string& host) {
  static const std::vector<double> buckets = {0.005, 0.025, 0.1, 0.25, 0.5,  1.0,
                                              2.0,   4.0,   8.0, 15.0, 30.0, 60.0};
  return DefaultMetrics().NewHistogram(name, help, buckets, {{"verb", verb}, {"host", host}});
}

// 64 bytes to 16 MiB.
Histogram NewSize(std::string_view name, std::string_view help, const std::string& verb,
                  const std::string& host) {
  static const std::vector<double> buckets = {64,    256,    512,     1024,    4096,    16384,
                                              65536, 262144, 1048576, 4194304, 16777216};
  return DefaultMetrics().NewHistogram(name, help, buckets, {{"verb", verb}, {"host", host}});
}

}  // namespace

RequestMetrics::OfMethod& RequestMetrics::Of(const std::string& method) {
  const auto [place, is_new] = methods_.try_emplace(method);
  OfMethod& metrics = place->second;
  if (is_new) {
    metrics.duration =
        NewLatency("rest_client_request_duration_seconds",
                   "Request latency in seconds. Broken down by verb, and host.", method, host_);
    metrics.wait =
        NewLatency("rest_client_rate_limiter_duration_seconds",
                   "Client side rate limiter latency in seconds. Broken down by verb, and host.",
                   method, host_);
    metrics.request_size =
        NewSize("rest_client_request_size_bytes",
                "Request size in bytes. Broken down by verb and host.", method, host_);
    metrics.response_size =
        NewSize("rest_client_response_size_bytes",
                "Response size in bytes. Broken down by verb and host.", method, host_);
  }
  return metrics;
}

void RequestMetrics::Answered(const std::string& method, const std::string& code, Duration took) {
  MutexLock lock(mutex_);
  OfMethod& metrics = Of(method);
  metrics.duration.Observe(InSeconds(took));
  const auto [answers, is_new] = metrics.answers.try_emplace(code);
  if (is_new) {
    answers->second = DefaultMetrics().NewCounter(
        "rest_client_requests_total",
        "Number of HTTP requests, partitioned by status code, method, and host.",
        {{"code", code}, {"method", method}, {"host", host_}});
  }
  answers->second.Increment();
}

void RequestMetrics::Waited(const std::string& method, Duration waited) {
  MutexLock lock(mutex_);
  Of(method).wait.Observe(InSeconds(waited));
}

void RequestMetrics::Sent(const std::string& method, size_t bytes) {
  MutexLock lock(mutex_);
  Of(method).request_size.Observe(static_cast<double>(bytes));
}

void RequestMetrics::Received(const std::string& method, size_t bytes) {
  MutexLock lock(mutex_);
  Of(method).response_size.Observe(static_cast<double>(bytes));
}

void RequestMetrics::Repeated(const std::string& method, const std::string& code) {
  DefaultMetrics()
      .NewCounter("rest_client_request_retries_total",
                  "Number of request retries, partitioned by status code, verb, and host.",
                  {{"code", code}, {"verb", method}, {"host", host_}})
      .Increment();
}

void RequestMetrics::ShowRate(std::function<double()> rate) {
  rate_ = DefaultMetrics().RegisterGaugeFunction(
      "capstan_client_rate_limit",
      "Highest number of requests per second that the client sends, where it adapts.",
      {{"host", host_}}, std::move(rate));
}

void RequestMetrics::Throttled(const std::string& reason) {
  DefaultMetrics()
      .NewCounter("capstan_client_throttled_total",
                  "Number of times that refusals or slow responses made the client lower its rate.",
                  {{"host", host_}, {"reason", reason}})
      .Increment();
}

}  // namespace capstan
