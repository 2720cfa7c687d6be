#pragma once

/// The actions of a FaultInjector on one request, and the matching of requests.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <capstan/client/transport.h>
#include <capstan/testing/fault_injector.h>

#include "cluster/faulty_exchange.h"

namespace capstan::testing::fault {

/// The action on one request.
struct Action {
  enum class Kind : uint8_t {
    kNone,
    kRefuse,
    kAnswer,       ///< respond with `answer`; the server does not see the request
    kAnswerAfter,  ///< respond with `answer` after the server handled the request
    kTimeOutAfter,
    kDropAfter,
    kDelay,
    kCut,
    kDo,
  };
  Kind kind = Kind::kNone;
  std::string text;  ///< for the log
  WholeAnswer answer = {};
  Duration delay = {};
  WatchCut cut = {};
  std::function<void(const HttpRequest&)> act = {};
  bool watches_only = false;
};

Action Refuse();
Action Fail(int code, std::string_view reason, std::string_view message);
Action FailAfter(int code, std::string_view message);
Action TimeOutAfter();
Action DropAfter();
Action TooManyRequests(Duration retry_after);
Action Delayed(Duration by);
Action Cut(int events, bool torn);
Action Expire();
Action Do(std::function<void(const HttpRequest&)> act);

bool Matches(const RequestMatcher& matcher, const HttpRequest& request);
bool IsWatch(const HttpRequest& request);
/// Whether an older state is a valid response to the request.
bool IsCachedRead(const HttpRequest& request);
bool IsWrite(const HttpRequest& request);

}  // namespace capstan::testing::fault
