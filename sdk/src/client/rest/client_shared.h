#pragma once

/// The state that copies of a Client share: the transport, the rate limit, and the sending of
/// requests with retries, metrics and log lines.

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "client/rest/background_lane.h"
#include "client/rest/flow_control.h"
#include "client/rest/request_activity.h"
#include "client/rest/request_metrics.h"

#include <capstan/client/client.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

inline constexpr size_t kObjectLimit = size_t{64} << 20;

/// What becomes of the body of a 2xx response.
struct BodyUse {
  /// Reads the body and returns its size. It starts anew for each attempt. Null: the body is left
  /// to the caller.
  std::function<Result<size_t>(HttpResponse& response)> read;
  /// Whether the request takes long because of its size, as a list does, and not because the server
  /// is slow.
  bool is_long = false;
};

/// When a list by watch may be asked for again, by API group.
class RefusedWatchLists {
 public:
  /// The earlier refusal for this group, unless it is to be asked again.
  std::optional<Status> Find(std::string_view group, MonotonicTime now);
  void Add(std::string_view group, const Status& refusal, MonotonicTime now);

 private:
  struct Refusal {
    Status status;
    MonotonicTime until;
  };
  Mutex mutex_;
  std::map<std::string, Refusal, std::less<>> refusals_ CAPSTAN_GUARDED_BY(mutex_);
};

struct Client::Shared {
  Shared(std::shared_ptr<Transport> t, Runtime& r, ClientOptions o,
         std::shared_ptr<RequestActivity> a = std::make_shared<RequestActivity>())
      : transport(std::move(t)),
        runtime(r),
        options(std::move(o)),
        budget(std::make_shared<RequestBudget>(r, options.qps, options.burst, options.max_qps)),
        activity(std::move(a)),
        background(r, *budget, *activity),
        metrics(options.host) {
    if (budget->adapts()) metrics.ShowRate([b = budget] { return b->Rate(); });
  }

  /// Sends `request` until it gets a 2xx response and `use` has read its body, or until it is not
  /// worth a retry. `fence` may be null.
  Status Exchange(const HttpRequest& request, const std::stop_token& stop, const BodyUse& use,
                  const WriteFence* fence, bool in_background);
  /// The same, without reading the body. The caller retries after failed connections.
  Result<std::unique_ptr<HttpResponse>> Open(const HttpRequest& request,
                                             const std::stop_token& stop);

  const std::shared_ptr<Transport> transport;
  Runtime& runtime;
  const ClientOptions options;
  const std::shared_ptr<RequestBudget> budget;  ///< a scrape may outlive the client
  const std::shared_ptr<RequestActivity> activity;
  BackgroundLane background;
  RequestMetrics metrics;
  RefusedWatchLists refused_watch_lists;

 private:
  struct Outcome;
  Outcome Send(const HttpRequest& request, const std::stop_token& stop, const BodyUse& use,
               const WriteFence* fence, bool in_background);
  Outcome SendOnce(const HttpRequest& request, const std::stop_token& stop, const BodyUse& use);
  // `seat`: of a request in the background; null for others.
  Status Throttle(const HttpRequest& request, const std::stop_token& stop, const WriteFence* fence,
                  BackgroundLane::Seat* seat);
  std::optional<Duration> DelayBeforeRetry(const HttpRequest& request, const Outcome& outcome,
                                           int attempt, bool whole_answer);
  void Observe(const HttpRequest& request, const std::string& code, Duration took);
  // Adapts the rate to the response to a request that was sent at `sent`.
  void AdaptTo(const HttpRequest& request, const Outcome& outcome, MonotonicTime sent,
               bool is_long);
};

/// Logs and counts an object of a list or watch that does not decode.
void ReportMalformedObject(const TypeDescriptor& type, const NamespacedName& name,
                           const Status& status);

}  // namespace capstan
