#pragma once

/// The state that copies of a Client share: the transport, the rate limit, and the sending of
/// requests with retries, metrics and log lines.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "client/rest/flow_control.h"
#include "client/rest/request_metrics.h"

#include <capstan/client/client.h>

namespace capstan {

inline constexpr size_t kObjectLimit = size_t{64} << 20;
inline constexpr size_t kListLimit = size_t{2} << 30;

struct Client::Shared {
  Shared(std::shared_ptr<Transport> t, Runtime& r, ClientOptions o)
      : transport(std::move(t)),
        runtime(r),
        options(std::move(o)),
        budget(std::make_shared<RequestBudget>(r, options.qps, options.burst, options.max_qps)),
        metrics(options.host) {
    if (budget->adapts()) metrics.ShowRate([b = budget] { return b->Rate(); });
  }

  /// Sends `request` until it gets a 2xx response or is not worth a retry. Returns the body.
  /// `fence` may be null.
  Result<std::string> Exchange(const HttpRequest& request, const std::stop_token& stop,
                               size_t body_limit, const WriteFence* fence);
  /// The same, without reading the body. The caller retries after failed connections.
  Result<std::unique_ptr<HttpResponse>> Open(const HttpRequest& request,
                                             const std::stop_token& stop);

  const std::shared_ptr<Transport> transport;
  Runtime& runtime;
  const ClientOptions options;
  const std::shared_ptr<RequestBudget> budget;  ///< a scrape may outlive the client
  RequestMetrics metrics;

 private:
  struct Outcome;
  // `body_limit` 0: the body is not read.
  Outcome Send(const HttpRequest& request, const std::stop_token& stop, size_t body_limit,
               const WriteFence* fence);
  Outcome SendOnce(const HttpRequest& request, const std::stop_token& stop, size_t body_limit);
  Status Throttle(const HttpRequest& request, const std::stop_token& stop, const WriteFence* fence);
  std::optional<Duration> DelayBeforeRetry(const HttpRequest& request, const Outcome& outcome,
                                           int attempt, bool whole_answer);
  void Observe(const HttpRequest& request, const std::string& code, Duration took);
  // Adapts the rate to the response to a request that was sent at `sent`.
  void AdaptTo(const HttpRequest& request, const Outcome& outcome, MonotonicTime sent,
               size_t body_limit);
};

/// Logs and counts an object of a list or watch that does not decode.
void ReportMalformedObject(const TypeDescriptor& type, const NamespacedName& name,
                           const Status& status);

}  // namespace capstan
