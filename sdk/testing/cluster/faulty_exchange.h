#pragma once

// One request on its way through a FaultInjector, and the answers that a fault makes of it.
//
// Threads: FaultSwitches and FaultyExchange may be used from any thread, a response from one.

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

// What holds for all requests: whether the server is down or lags, and which requests are open.
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

// From the request to the end of its answer. When the server goes down it breaks.
class FaultyExchange {
 public:
  FaultyExchange(std::shared_ptr<FaultSwitches> switches, const HttpRequest& request,
                 std::stop_token stop);
  ~FaultyExchange();
  FaultyExchange(const FaultyExchange&) = delete;
  FaultyExchange& operator=(const FaultyExchange&) = delete;

  // The server was down from the beginning.
  bool refused() const { return refused_; }
  // What the inner transport must obey.
  std::stop_token inner_stop() const { return inner_stop_->get_token(); }
  // `status` of the inner transport, or why it came to that.
  Status Reason(const Status& status) const;

  // Waits for `duration`. The error is that of `stop`, of the request's time-out or of a break.
  Status Delay(Duration duration);
  // Waits for the request's time-out; a request without one breaks at once.
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

// Where a watch is cut. "In good order" is between two events.
struct WatchCut {
  int events = 0;
  bool torn = false;
};

// An answer of the server that is passed on, cut where `cut` says. A watch keeps silent while the
// server lags.
std::unique_ptr<HttpResponse> PassOn(std::unique_ptr<HttpResponse> inner,
                                     std::shared_ptr<FaultyExchange> exchange, bool is_watch,
                                     std::optional<WatchCut> cut = {});

// A whole answer.
struct WholeAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};
std::unique_ptr<HttpResponse> Answer(WholeAnswer answer);

// A v1 Status as the server writes it. `reason` "" = the usual one of the code.
WholeAnswer FailureAnswer(int code, std::string_view reason, std::string_view message,
                          std::optional<Duration> retry_after = {});
// A watch that has nothing but an ERROR event.
WholeAnswer ExpiredWatchAnswer();

}  // namespace capstan::testing::fault
