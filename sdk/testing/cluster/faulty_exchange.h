#pragma once

/// One request that passes through a FaultInjector, and the responses that faults produce.
///
/// Threads: FaultSwitches and FaultyExchange may be used from any thread, a response from one
/// thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan::testing::fault {

class FaultyExchange;

/// The state shared by all requests: whether the server is down or lags, and the open requests.
class FaultSwitches {
 public:
  explicit FaultSwitches(Runtime& runtime) : runtime_(runtime), changed_(runtime.NewCondition()) {}

  void SetDown(bool down);
  void SetLagging(bool lagging);
  bool IsLagging() const;
  Runtime& runtime() { return runtime_; }

 private:
  friend class FaultyExchange;

  Runtime& runtime_;
  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  bool down_ CAPSTAN_GUARDED_BY(mutex_) = false;
  bool lagging_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::vector<FaultyExchange*> open_ CAPSTAN_GUARDED_BY(mutex_);
};

/// The exchange of a request and its response. It breaks when the server goes down.
class FaultyExchange {
 public:
  FaultyExchange(std::shared_ptr<FaultSwitches> switches, const HttpRequest& request,
                 std::stop_token stop);
  ~FaultyExchange();
  FaultyExchange(const FaultyExchange&) = delete;
  FaultyExchange& operator=(const FaultyExchange&) = delete;

  /// Whether the server was down when the request began.
  bool refused() const { return refused_; }
  /// The stop token for the inner transport.
  std::stop_token inner_stop() const { return inner_stop_->get_token(); }
  /// Returns Canceled if `stop` was requested, the error of a break if the exchange is broken,
  /// otherwise `status`.
  Status Reason(const Status& status) const;

  /// Waits for `duration`. Errors: that of `stop`, of the request's timeout or of a break.
  Status Delay(Duration duration);
  /// Waits for the request's timeout. A request without a timeout breaks immediately.
  Status TimeOut();
  Status WaitForTheEndOfTheLag();

 private:
  friend class FaultSwitches;
  struct Relay {
    std::shared_ptr<std::stop_source> to;
    void operator()() const { to->request_stop(); }
  };

  Status WaitUntil(std::optional<MonotonicTime> time, bool while_lagging);

  const std::shared_ptr<FaultSwitches> switches_;
  const std::stop_token stop_;
  const std::optional<MonotonicTime> deadline_;
  const std::shared_ptr<std::stop_source> inner_stop_ = std::make_shared<std::stop_source>();
  bool broken_ = false;  // guarded by the mutex of `switches_`
  bool refused_ = false;
  const std::stop_callback<Relay> relay_;
};

/// Where a watch is cut: after `events` events, or inside the next event if `torn`.
struct WatchCut {
  int events = 0;
  bool torn = false;
};

/// Forwards a response of the server, cut as `cut` says. A watch returns no data while the server
/// lags.
std::unique_ptr<HttpResponse> PassOn(std::unique_ptr<HttpResponse> inner,
                                     std::shared_ptr<FaultyExchange> exchange, bool is_watch,
                                     std::optional<WatchCut> cut = {});

/// A complete response.
struct WholeAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};
std::unique_ptr<HttpResponse> Answer(WholeAnswer answer);

/// Returns a v1 Status as the server formats it. `reason` "" = the default reason of the code.
WholeAnswer FailureAnswer(int code, std::string_view reason, std::string_view message,
                          std::optional<Duration> retry_after = {});
/// A watch whose only event is an ERROR event.
WholeAnswer ExpiredWatchAnswer();

}  // namespace capstan::testing::fault
