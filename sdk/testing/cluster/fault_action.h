#pragma once

// What a FaultInjector can do to one request, and which requests are meant.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <capstan/client/transport.h>
#include <capstan/testing/fault_injector.h>

#include "cluster/faulty_exchange.h"

namespace capstan::testing::fault {

// What is done to one request.
struct Action {
  enum class Kind : uint8_t {
    kNone,
    kRefuse,
    kAnswer,       // by `answer`, without the server
    kAnswerAfter,  // by `answer`, after the server
    kTimeOutAfter,
    kDropAfter,
    kDelay,
    kCut,
    kDo,
  };
  Kind kind = Kind::kNone;
  std::string text;  // for the log
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
// Whether an older state would do for it.
bool IsCachedRead(const HttpRequest& request);
bool IsWrite(const HttpRequest& request);

}  // namespace capstan::testing::fault
