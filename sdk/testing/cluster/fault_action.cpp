#include "cluster/fault_action.h"

#include <algorithm>
#include <utility>

#include <capstan/runtime/format.h>

#include "cluster/text_pattern.h"

namespace capstan::testing::fault {
namespace {

using Kind = Action::Kind;

// Whether the query of `target` has this parameter with this value.
bool Asks(std::string_view target, std::string_view parameter) {
  size_t begin = target.find('?');
  while (begin != std::string_view::npos) {
    const size_t end = target.find('&', ++begin);
    if (target.substr(begin, end == std::string_view::npos ? end : end - begin) == parameter) {
      return true;
    }
    begin = end;
  }
  return false;
}

std::string Milliseconds(Duration duration) {
  return Format("{} ms", std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace

bool Matches(const RequestMatcher& matcher, const HttpRequest& request) {
  return (matcher.method.empty() || MatchesPattern(matcher.method, request.method)) &&
         (matcher.target.empty() || MatchesPattern(matcher.target, request.target)) &&
         (matcher.body.empty() || MatchesPattern(matcher.body, request.body));
}

bool IsWatch(const HttpRequest& request) {
  return request.method == "GET" &&
         (Asks(request.target, "watch=true") || Asks(request.target, "watch=1"));
}

bool IsCachedRead(const HttpRequest& request) {
  return request.method == "GET" && !IsWatch(request) && Asks(request.target, "resourceVersion=0");
}

bool IsWrite(const HttpRequest& request) {
  return request.method == "POST" || request.method == "PUT" || request.method == "PATCH" ||
         request.method == "DELETE";
}

Action Refuse() { return {.kind = Kind::kRefuse, .text = "refused"}; }

Action Fail(int code, std::string_view reason, std::string_view message) {
  return {.kind = Kind::kAnswer,
          .text = std::to_string(code),
          .answer = FailureAnswer(code, reason, message)};
}

Action FailAfter(int code, std::string_view message) {
  return {.kind = Kind::kAnswerAfter,
          .text = Format("{} after it took effect", code),
          .answer = FailureAnswer(code, "", message)};
}

Action TimeOutAfter() {
  return {.kind = Kind::kTimeOutAfter, .text = "timed out after it took effect"};
}

Action DropAfter() {
  return {.kind = Kind::kDropAfter, .text = "connection lost after it took effect"};
}

Action TooManyRequests(Duration retry_after) {
  return {.kind = Kind::kAnswer,
          .text = Format("429, retry after {}", Milliseconds(retry_after)),
          .answer = FailureAnswer(429, "", "too many requests, please try again later",
                                  std::max(retry_after, Duration::zero()))};
}

Action Delayed(Duration by) {
  return {.kind = Kind::kDelay, .text = "delayed by " + Milliseconds(by), .delay = by};
}

Action Cut(int events, bool torn) {
  return {.kind = Kind::kCut,
          .text = Format("watch {} after {} events", torn ? "torn" : "ended", events),
          .cut = {std::max(events, 0), torn},
          .watches_only = true};
}

Action Expire() {
  return {.kind = Kind::kAnswer,
          .text = "watch expired",
          .answer = ExpiredWatchAnswer(),
          .watches_only = true};
}

Action Do(std::function<void(const HttpRequest&)> act) {
  Action action;
  action.kind = Kind::kDo;
  action.act = std::move(act);
  return action;
}

}  // namespace capstan::testing::fault
