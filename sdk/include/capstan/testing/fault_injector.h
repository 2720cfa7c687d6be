#pragma once

/// FaultInjector: a Transport that wraps another one and makes requests fail as networks, proxies
/// and API servers do.
///
///     FaultInjector faults(transport, runtime, /*seed=*/7);
///     faults.On({.method = "PATCH", .target = "*/status"}).Nth(3).Fail(409, "Conflict");
///     faults.OnWatch({.target = "*/pods?*"}).TearAfter(5);
///     faults.Randomly({.rate = 0.05, .faults = FaultInjector::All()});
///
/// Rules are evaluated in the order of their creation. The first rule with an action for a request
/// applies. Random faults come last. Each rule counts all requests that it matches, whatever their
/// outcome. The seed decides the rest, so that the same requests get the same faults. A fault only
/// rejects, delays, breaks or hides. It never duplicates, reorders or invents something that an API
/// server would not send.
///
/// Threads: all methods may be called from any thread. A fault waits through the Runtime, and no
/// longer than the request's timeout and `stop` allow.

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

/// Selects requests. '*' matches any text; "" matches all requests.
struct RequestMatcher {
  std::string method = {};
  std::string target = {};
  std::string body = {};
};

class CAPSTAN_EXPORT FaultInjector : public Transport {
 public:
  enum class Fault : uint8_t {
    kRefuse,           ///< no connection; nothing is sent
    kStatus500,        ///< rejected with 500; no write takes effect
    kStatus500After,   ///< 500 after the write took effect
    kTimeoutAfter,     ///< no response within the timeout, after the write took effect
    kDropAfter,        ///< the connection breaks after the write took effect
    kTooManyRequests,  ///< 429 with Retry-After
    kConflict,         ///< 409, for patches and updates
    kDelay,            ///< the response is late; the request has already taken effect
    kTearWatch,        ///< a watch breaks in the middle of an event
    kEndWatch,         ///< a watch ends normally
    kExpireWatch,      ///< a watch begins with 410, as an ERROR event or as its status
    kStaleRead,        ///< a get or list with resourceVersion=0 gets an earlier response again
  };
  static std::vector<Fault> All();

  FaultInjector(std::shared_ptr<Transport> inner, Runtime& runtime, uint64_t seed = 1);
  ~FaultInjector() override;

  /// A rule under construction. It takes effect when its action is set.
  class CAPSTAN_EXPORT Rule {
   public:
    /// Applies only to the nth matching request (1 = the first), or to those from `first` to
    /// `last`.
    Rule& Nth(int n);
    Rule& Between(int first, int last);
    /// Applies to each request with this probability.
    Rule& WithProbability(double probability);

    /// Responds with this code and a Status with this reason ("" = the usual reason of the code).
    void Fail(int code, std::string_view reason = {}, std::string_view message = {});
    void Refuse();
    /// Sends the request at once, and delays the response by this time.
    void Delay(Duration by);
    void TooManyRequests(Duration retry_after);
    /// Sends the request to the server, but discards the response.
    void FailAfter(int code);
    void TimeOutAfter();
    void DropAfter();
    // For watches; other requests pass.
    /// Breaks the watch after this number of complete events, including bookmarks, and half of the
    /// next one.
    void TearAfter(int events);
    /// Ends the watch normally after this number of events.
    void EndAfter(int events);
    /// Sends only an ERROR event with 410.
    void Expire();
    /// Runs `act` before the request is sent on. Later rules still apply.
    void Do(std::function<void(const HttpRequest&)> act);

   private:
    friend class FaultInjector;
    struct Impl;
    explicit Rule(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
  };
  Rule On(RequestMatcher matcher);
  /// Like On, for watches only.
  Rule OnWatch(RequestMatcher matcher);

  struct RandomFaults {
    double rate = 0;  ///< fraction of the matching requests
    /// The faults to choose from. A request gets one that fits it: the "After" faults apply to
    /// writes, the watch faults to watches.
    std::vector<Fault> faults = All();
    RequestMatcher only = {};
    Duration longest_delay = std::chrono::seconds(2);
  };
  /// Replaces the random faults. {} turns them off.
  void Randomly(RandomFaults faults);
  /// While down, every request is refused, as when the network or the server is down. Open watches
  /// and requests in flight break; the latter may take effect.
  void SetDown(bool down);
  /// While lagging, reads with resourceVersion=0 and watches do not see changes newer than the
  /// start of the lag, like an API server whose watch cache lags. Watches stay open and silent. A
  /// get or list gets the last response to the same request. If there is none, it waits for the end
  /// of the lag.
  void SetLagging(bool lagging);
  /// Removes all rules and the random faults. Does not change SetDown and SetLagging.
  void Clear();

  /// One line per fault: "PATCH /apis/...: 500 after it took effect".
  std::vector<std::string> Log() const;

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
