#pragma once

/// FaultInjector: a Transport around another one that lets requests fail as networks, proxies and
/// API servers do.
///
///     FaultInjector faults(transport, runtime, /*seed=*/7);
///     faults.On({.method = "PATCH", .target = "*/status"}).Nth(3).Fail(409, "Conflict");
///     faults.OnWatch({.target = "*/pods?*"}).TearAfter(5);
///     faults.Randomly({.rate = 0.05, .faults = FaultInjector::All()});
///
/// Rules are looked at in the order they were made, and the first that has something to say about a
/// request says it; the random faults come last. Each rule counts all requests that it matches,
/// whatever became of them, and the seed decides the rest, so that the same requests meet the same
/// faults. Nothing is duplicated, reordered or invented that an API server would not: a fault
/// refuses, delays, tears or hides.
///
/// Threads: all methods may be called from any thread. What a fault waits for, it waits for through
/// the Runtime, and no longer than the request's time-out and `stop` allow.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>

namespace capstan::testing {

/// Which requests. '*' in a text stands for any text; "" for all.
struct RequestMatcher {
  std::string method = {};
  std::string target = {};
  std::string body = {};
};

class CAPSTAN_EXPORT FaultInjector : public Transport {
 public:
  enum class Fault : uint8_t {
    kRefuse,           ///< no connection; nothing was sent
    kStatus500,        ///< refused with 500; nothing took effect
    kStatus500After,   ///< 500 after the write took effect
    kTimeoutAfter,     ///< no answer within the time-out, after the write took effect
    kDropAfter,        ///< the connection breaks after the write took effect
    kTooManyRequests,  ///< 429 with Retry-After
    kConflict,         ///< 409, for patches and updates
    kDelay,            ///< the answer comes late: what was asked has long taken effect
    kTearWatch,        ///< a watch breaks in the middle of an event
    kEndWatch,         ///< a watch ends in good order
    kExpireWatch,      ///< a watch begins with 410, as an ERROR event or as its status
    kStaleRead,        ///< a get or list with resourceVersion=0 is answered as once before
  };
  static std::vector<Fault> All();

  FaultInjector(std::shared_ptr<Transport> inner, Runtime& runtime, uint64_t seed = 1);
  ~FaultInjector() override;

  /// A rule in the making. It works from the moment its action is named.
  class CAPSTAN_EXPORT Rule {
   public:
    /// Only the nth request that matches (1 = the first), or those from `first` to `last`.
    Rule& Nth(int n);
    Rule& Between(int first, int last);
    /// Each with this probability.
    Rule& WithProbability(double probability);

    /// An answer with this code and a Status of this reason ("" = the code's usual one).
    void Fail(int code, std::string_view reason = {}, std::string_view message = {});
    void Refuse();
    /// The server is asked at once; its answer comes so much later.
    void Delay(Duration by);
    void TooManyRequests(Duration retry_after);
    /// The request reaches the server, whose answer is lost.
    void FailAfter(int code);
    void TimeOutAfter();
    void DropAfter();
    // Watches; other requests are let through.
    /// After so many whole events, bookmarks among them, and half of the next.
    void TearAfter(int events);
    /// After so many events, in good order.
    void EndAfter(int events);
    /// An ERROR event with 410 is all there is.
    void Expire();
    /// Runs `act` before the request is sent on. The rules after this one go on.
    void Do(std::function<void(const HttpRequest&)> act);

   private:
    friend class FaultInjector;
    struct Impl;
    explicit Rule(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
  };
  Rule On(RequestMatcher matcher);
  /// As On, for watches only.
  Rule OnWatch(RequestMatcher matcher);

  struct RandomFaults {
    double rate = 0;  ///< of the requests that match
    /// One of those that fit the request: after-effects befall writes, a watch's faults a watch.
    std::vector<Fault> faults = All();
    RequestMatcher only = {};
    Duration longest_delay = std::chrono::seconds(2);
  };
  /// Replaces an earlier call; {} ends it.
  void Randomly(RandomFaults faults);
  /// Everything is refused, as when the network or server is down, until it is back. Open watches
  /// and requests on their way break; what those asked for may take effect.
  void SetDown(bool down);
  /// Reads with resourceVersion=0 and watches see nothing that is newer than this moment, until it
  /// ends: an API server whose watch cache lags. Watches stay open and silent. A get or list gets
  /// the last answer to the same request, or when there is none waits for the end of the lag.
  void SetLagging(bool lagging);
  /// Ends every rule and the random faults. SetDown and SetLagging stay as they are.
  void Clear();

  /// A line a fault: "PATCH /apis/...: 500 after it took effect".
  std::vector<std::string> Log() const;

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
