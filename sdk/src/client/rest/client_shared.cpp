#include "client/rest/client_shared.h"

#include <algorithm>
#include <utility>

#include "client/rest/api_status.h"
#include "client/rest/client_target.h"
#include "client/rest/write_term.h"
#include "runtime/not_sent.h"

#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>

namespace capstan {
namespace {

constexpr int kMaxRetries = 10;
constexpr Duration kDelayOf429 = std::chrono::seconds(1);  // if the server names none
constexpr int kMaxConnectionRetries = 3;
constexpr Duration kFirstConnectionDelay = std::chrono::milliseconds(50);
// A server is upgraded once in a while.
constexpr Duration kRefusalHolds = std::chrono::minutes(10);
constexpr char kNoAnswer[] = "<error>";  // the code in metrics and logs

int64_t InMilliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// "GET /api/v1/pods": without the query, whose tokens are long and meaningless.
std::string Describe(const HttpRequest& request) {
  return request.method + " " + request.target.substr(0, request.target.find('?'));
}

// The flow whose share of the rate a request uses.
std::string FlowOf(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == "User-Agent") return value;
  }
  return {};
}

// Reads the beginning of an error body, as far as it arrives.
std::string ReadErrorBody(HttpResponse& response) {
  std::string body;
  char buffer[4096];
  while (body.size() < kErrorBodyLimit) {
    const Result<size_t> count = response.Read(buffer, sizeof(buffer));
    if (!count || *count == 0) break;
    body.append(buffer, *count);
  }
  return body;
}

}  // namespace

struct Client::Shared::Outcome {
  Status status;
  int http_code = 0;                       // 0: no response
  std::unique_ptr<HttpResponse> response;  // if the body is left to the caller
};

std::optional<Status> RefusedWatchLists::Find(std::string_view group, MonotonicTime now) {
  MutexLock lock(mutex_);
  const auto found = refusals_.find(group);
  if (found == refusals_.end() || now >= found->second.until) return std::nullopt;
  return found->second.status;
}

void RefusedWatchLists::Add(std::string_view group, const Status& refusal, MonotonicTime now) {
  MutexLock lock(mutex_);
  refusals_.insert_or_assign(std::string(group), Refusal{refusal, now + kRefusalHolds});
}

void Client::Shared::Observe(const HttpRequest& request, const std::string& code, Duration took) {
  metrics.Answered(request.method, code, took);
  LogV(6, "Response",
       {{"verb", request.method},
        {"url", request.target},
        {"status", code},
        {"milliseconds", InMilliseconds(took)}});
}

Status Client::Shared::Throttle(const HttpRequest& request, const std::stop_token& stop,
                                const WriteFence* fence, BackgroundLane::Seat* seat) {
  if (stop.stop_requested()) return Status::Canceled();
  const MonotonicTime begin = runtime.Now();
  // Continues to wait if the term has been renewed meanwhile.
  while (true) {
    std::optional<MonotonicTime> until;
    if (fence) {
      const Result<WriteTerm> term = PresentTerm(*fence, runtime.Now());
      if (!term) return term.status();
      until = term->send_before;
    }
    const std::string flow = FlowOf(request);
    if (seat ? seat->Enter(flow, stop, until) : budget->Accept(flow, stop, until)) break;
    if (stop.stop_requested()) return Status::Canceled();
  }
  if (seat) return Status::Ok();  // it has not waited for the rate limit alone
  const Duration waited = runtime.Now() - begin;
  metrics.Waited(request.method, waited);
  if (waited > std::chrono::milliseconds(50)) {
    LogV(waited > std::chrono::seconds(1) ? 2 : 3, "Waited for the client-side rate limit",
         {{"milliseconds", InMilliseconds(waited)}, {"request", Describe(request)}});
  }
  return Status::Ok();
}

void Client::Shared::AdaptTo(const HttpRequest& request, const Outcome& outcome, MonotonicTime sent,
                             bool is_long) {
  using Kind = AdaptiveRate::Kind;
  const int code = outcome.http_code;
  const bool refused =
      code == 429 || ((code == 503 || code == 504) && outcome.status.retry_after());
  // A failure, however quick, is no sign that the server has capacity.
  const bool failed = code == 0 ? outcome.status.reason() != StatusReason::kDeadlineExceeded
                                : code >= 500 && !refused;
  if (!budget->adapts() || failed) return;
  Kind kind = Kind::kLong;  // a list, or a watch after its head
  if (!is_long) kind = request.method == "GET" ? Kind::kRead : Kind::kWrite;
  const AdaptiveRate::Change change = budget->Answered({sent, runtime.Now(), kind, refused});
  if (change == AdaptiveRate::Change::kNone) return;
  const double rate = budget->Rate();
  if (change == AdaptiveRate::Change::kGrown) {
    LogV(4, "Raised the client-side rate limit", {{"requestsPerSecond", rate}});
    return;
  }
  const char* reason = change == AdaptiveRate::Change::kSlow ? "slow" : "refused";
  metrics.Throttled(reason);
  LogV(2, "Lowered the client-side rate limit",
       {{"requestsPerSecond", rate}, {"reason", reason}, {"request", Describe(request)}});
}

Client::Shared::Outcome Client::Shared::SendOnce(const HttpRequest& request,
                                                 const std::stop_token& stop, const BodyUse& use) {
  Outcome outcome;
  const MonotonicTime begin = runtime.Now();
  metrics.Sent(request.method, request.body.size());
  Result<std::unique_ptr<HttpResponse>> response = transport->RoundTrip(request, stop);
  if (!response) {
    Observe(request, kNoAnswer, runtime.Now() - begin);
    outcome.status = response.status().WithContext(Describe(request));
    AdaptTo(request, outcome, begin, use.is_long);
    return outcome;
  }
  HttpResponse& answer = **response;
  outcome.http_code = answer.status();
  if (outcome.http_code < 200 || outcome.http_code > 299) {
    const std::optional<Duration> retry_after = ParseRetryAfter(answer.Header("Retry-After"));
    outcome.status =
        StatusOfAnswer(outcome.http_code, request.method, ReadErrorBody(answer), retry_after);
  } else if (!use.read) {
    outcome.response = std::move(*response);
  } else if (const Result<size_t> size = use.read(answer); size) {
    metrics.Received(request.method, *size);
  } else {
    outcome.status = size.status().WithContext(Describe(request));
  }
  Observe(request, std::to_string(outcome.http_code), runtime.Now() - begin);
  AdaptTo(request, outcome, begin, use.is_long);
  return outcome;
}

std::optional<Duration> Client::Shared::DelayBeforeRetry(const HttpRequest& request,
                                                         const Outcome& outcome, int attempt,
                                                         bool whole_answer) {
  if (outcome.http_code == 429 || outcome.http_code >= 500) {
    const std::optional<Duration> asked = outcome.status.retry_after();
    if (attempt >= kMaxRetries || (outcome.http_code >= 500 && !asked)) return std::nullopt;
    return asked.value_or(kDelayOf429);
  }
  const bool failed_read = whole_answer && request.method == "GET" &&
                           outcome.status.reason() == StatusReason::kTransport;
  if (!failed_read || attempt >= kMaxConnectionRetries) return std::nullopt;
  return runtime.Jitter(kFirstConnectionDelay * (1 << attempt), 0.5);
}

Client::Shared::Outcome Client::Shared::Send(const HttpRequest& request,
                                             const std::stop_token& stop, const BodyUse& use,
                                             const WriteFence* fence, bool in_background) {
  std::optional<RequestActivity::InProgress> in_progress;
  if (use.read && !in_background) in_progress.emplace(*activity, runtime);
  bool may_be_done = false;  // an earlier attempt may have taken effect
  const auto given_up = [&](const Status& why) {
    Outcome outcome;
    outcome.status = may_be_done ? Status(why.reason(), why.message()) : why;
    return outcome;
  };
  HttpRequest within_term;
  if (fence) within_term = request;
  if (LogEnabled(8)) {
    for (const auto& [name, value] : request.headers) {
      LogV(8, "Request header", {{"name", name}, {"value", value}});
    }
  }
  for (int attempt = 0;; ++attempt) {
    // Checked before the rate limit too, so that a request that must not be sent takes no turn.
    Status ready = fence ? FitIntoTerm(*fence, runtime.Now(), request, within_term) : Status::Ok();
    BackgroundLane::Seat seat(background);
    if (ready.ok()) ready = Throttle(request, stop, fence, in_background ? &seat : nullptr);
    if (ready.ok() && fence) ready = FitIntoTerm(*fence, runtime.Now(), request, within_term);
    if (!ready.ok()) return given_up(ready.WithContext(Describe(request)));
    Outcome outcome = SendOnce(fence ? within_term : request, stop, use);
    seat.Leave();
    if (outcome.status.ok()) return outcome;
    if (may_be_done && outcome.status.HasCause(kNotSent)) return given_up(outcome.status);
    const std::optional<Duration> delay =
        DelayBeforeRetry(request, outcome, attempt, use.read != nullptr);
    if (!delay) return outcome;
    LogV(4, "Retrying a request",
         {{"request", Describe(request)},
          {"attempt", attempt + 1},
          {"afterMilliseconds", InMilliseconds(*delay)},
          {"err", outcome.status}});
    metrics.Repeated(request.method,
                     outcome.http_code == 0 ? kNoAnswer : std::to_string(outcome.http_code));
    may_be_done |= outcome.status.IsAmbiguous();
    if (Status status = PauseWithinTerm(runtime, *delay, stop, fence); !status.ok()) {
      return given_up(status.WithContext(Describe(request)));
    }
  }
}

Status Client::Shared::Exchange(const HttpRequest& request, const std::stop_token& stop,
                                const BodyUse& use, const WriteFence* fence, bool in_background) {
  return Send(request, stop, use, fence, in_background).status;
}

Result<std::unique_ptr<HttpResponse>> Client::Shared::Open(const HttpRequest& request,
                                                           const std::stop_token& stop) {
  Outcome outcome = Send(request, stop, {.read = nullptr, .is_long = true}, nullptr, false);
  if (!outcome.status.ok()) return outcome.status;
  return std::move(outcome.response);
}

void ReportMalformedObject(const TypeDescriptor& type, const NamespacedName& name,
                           const Status& status) {
  const std::string resource = QualifiedResource(type);
  LogError(status, "Skipping an object that cannot be decoded",
           {{"resource", resource}, {"object", name}});
  DefaultMetrics()
      .NewCounter("capstan_malformed_objects_total",
                  "Number of objects in lists and watches that could not be decoded.",
                  {{"resource", resource}})
      .Increment();
}

}  // namespace capstan
