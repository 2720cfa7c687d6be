#include <capstan/testing/fault_injector.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

#include "cluster/fault_action.h"
#include "cluster/faulty_exchange.h"

namespace capstan::testing {
namespace {

using fault::Action;
using fault::FaultSwitches;
using fault::FaultyExchange;
using fault::IsCachedRead;
using fault::IsWatch;
using fault::WholeAnswer;
using Fault = FaultInjector::Fault;
using Kind = Action::Kind;

constexpr size_t kLargestAnswer = size_t{256} * 1024 * 1024;
constexpr size_t kRememberedAnswers = 256;
constexpr size_t kLogLines = 100'000;
constexpr uint64_t kMostEventsBeforeARandomCut = 6;
constexpr char kRandomMessage[] = "an injected fault";

}  // namespace

struct FaultInjector::Rule::Impl {
  FaultInjector::Impl& injector;
  RequestMatcher matcher = {};
  bool watches_only = false;
  int first = 1;
  int last = std::numeric_limits<int>::max();
  double probability = 1;
  int seen = 0;
  Action action = {};

  void Arm(Action with);
};

struct FaultInjector::Impl {
  struct Plan {
    std::vector<std::function<void(const HttpRequest&)>> acts;
    Action action;
  };

  Impl(std::shared_ptr<Transport> inner, Runtime& runtime, uint64_t seed)
      : inner(std::move(inner)),
        runtime(runtime),
        switches(std::make_shared<FaultSwitches>(runtime)),
        random(seed) {}

  Plan Decide(const HttpRequest& request) CAPSTAN_EXCLUDES(mutex);
  bool Chance(double probability) CAPSTAN_REQUIRES(mutex);
  Action RandomAction(const HttpRequest& request) CAPSTAN_REQUIRES(mutex);
  bool Fits(Fault fault, const HttpRequest& request) const CAPSTAN_REQUIRES(mutex);
  Action NewAction(Fault fault, const HttpRequest& request) CAPSTAN_REQUIRES(mutex);
  void Note(const HttpRequest& request, const std::string& what) CAPSTAN_REQUIRES(mutex);

  using Answered = Result<std::unique_ptr<HttpResponse>>;
  Answered Carry(const HttpRequest& request, const std::shared_ptr<FaultyExchange>& exchange,
                 const Action& action);
  Answered CarryCachedRead(const HttpRequest& request,
                           const std::shared_ptr<FaultyExchange>& exchange);
  Answered Ask(const HttpRequest& request, FaultyExchange& exchange);
  Result<WholeAnswer> AskForAll(const HttpRequest& request, FaultyExchange& exchange);

  const std::shared_ptr<Transport> inner;
  Runtime& runtime;
  const std::shared_ptr<FaultSwitches> switches;
  mutable Mutex mutex;
  std::mt19937_64 random CAPSTAN_GUARDED_BY(mutex);
  std::vector<Rule::Impl> rules CAPSTAN_GUARDED_BY(mutex);
  RandomFaults random_faults CAPSTAN_GUARDED_BY(mutex);
  std::deque<std::string> log CAPSTAN_GUARDED_BY(mutex);
  // The last responses to reads that may be answered with an older state, by target.
  std::map<std::string, WholeAnswer> remembered CAPSTAN_GUARDED_BY(mutex);
};

void FaultInjector::Rule::Impl::Arm(Action with) {
  action = std::move(with);
  MutexLock lock(injector.mutex);
  injector.rules.push_back(*this);
}

FaultInjector::Impl::Plan FaultInjector::Impl::Decide(const HttpRequest& request) {
  Plan plan;
  MutexLock lock(mutex);
  for (Rule::Impl& rule : rules) {
    if (!fault::Matches(rule.matcher, request)) continue;
    if ((rule.watches_only || rule.action.watches_only) && !IsWatch(request)) continue;
    ++rule.seen;
    if (rule.seen < rule.first || rule.seen > rule.last || !Chance(rule.probability)) continue;
    if (rule.action.kind == Kind::kDo) {
      plan.acts.push_back(rule.action.act);
    } else if (plan.action.kind == Kind::kNone) {
      plan.action = rule.action;
    }
  }
  if (plan.action.kind == Kind::kNone) plan.action = RandomAction(request);
  if (plan.action.kind != Kind::kNone) Note(request, plan.action.text);
  return plan;
}

bool FaultInjector::Impl::Chance(double probability) {
  if (probability >= 1) return true;
  constexpr int kMantissaBits = 53;
  const double drawn = static_cast<double>(random() >> (64 - kMantissaBits)) /
                       static_cast<double>(uint64_t{1} << kMantissaBits);
  return drawn < probability;
}

Action FaultInjector::Impl::RandomAction(const HttpRequest& request) {
  if (random_faults.rate <= 0 || !fault::Matches(random_faults.only, request)) return {};
  if (!Chance(random_faults.rate)) return {};
  std::vector<Fault> fitting;
  for (const Fault fault : random_faults.faults) {
    if (Fits(fault, request)) fitting.push_back(fault);
  }
  if (fitting.empty()) return {};
  return NewAction(fitting[random() % fitting.size()], request);
}

bool FaultInjector::Impl::Fits(Fault fault, const HttpRequest& request) const {
  switch (fault) {
    case Fault::kRefuse:
    case Fault::kStatus500:
    case Fault::kTooManyRequests:
    case Fault::kDelay:
      return true;
    case Fault::kStatus500After:
    case Fault::kTimeoutAfter:
    case Fault::kDropAfter:
      return fault::IsWrite(request);
    case Fault::kConflict:
      return request.method == "PATCH" || request.method == "PUT";
    case Fault::kTearWatch:
    case Fault::kEndWatch:
    case Fault::kExpireWatch:
      return IsWatch(request);
    case Fault::kStaleRead:
      return IsCachedRead(request) && remembered.contains(request.target);
  }
  return false;
}

Action FaultInjector::Impl::NewAction(Fault fault, const HttpRequest& request) {
  const auto number = [this](uint64_t below) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
    return static_cast<int>(random() % below);
  };
  switch (fault) {
    case Fault::kRefuse:
      return fault::Refuse();
    case Fault::kStatus500:
      return fault::Fail(500, "", kRandomMessage);
    case Fault::kStatus500After:
      return fault::FailAfter(500, kRandomMessage);
    case Fault::kTimeoutAfter:
      return fault::TimeOutAfter();
    case Fault::kDropAfter:
      return fault::DropAfter();
    case Fault::kTooManyRequests:
      return fault::TooManyRequests(std::chrono::seconds(1 + number(3)));
    case Fault::kConflict:
      return fault::Fail(409, "", "the object has been modified");
    case Fault::kDelay: {
      const auto longest = std::max<int64_t>(random_faults.longest_delay.count(), 1);
      return fault::Delayed(
          Duration(static_cast<int64_t>(random() % static_cast<uint64_t>(longest)) + 1));
    }
    case Fault::kTearWatch:
      return fault::Cut(number(kMostEventsBeforeARandomCut), true);
    case Fault::kEndWatch:
      return fault::Cut(number(kMostEventsBeforeARandomCut), false);
    case Fault::kExpireWatch:
      return number(2) == 0 ? fault::Expire() : fault::Fail(410, "", "too old resource version");
    case Fault::kStaleRead:
      return {.kind = Kind::kAnswer,
              .text = "answered with an older state",
              .answer = remembered.at(request.target)};
  }
  return {};
}

void FaultInjector::Impl::Note(const HttpRequest& request, const std::string& what) {
  if (log.size() == kLogLines) log.pop_front();
  log.push_back(Format("{} {}: {}", request.method, request.target, what));
}

FaultInjector::Impl::Answered FaultInjector::Impl::Ask(const HttpRequest& request,
                                                       FaultyExchange& exchange) {
  Answered answer = inner->RoundTrip(request, exchange.inner_stop());
  if (!answer) return exchange.Reason(answer.status());
  return answer;
}

Result<WholeAnswer> FaultInjector::Impl::AskForAll(const HttpRequest& request,
                                                   FaultyExchange& exchange) {
  Answered response = Ask(request, exchange);
  if (!response) return response.status();
  WholeAnswer answer;
  answer.status = (*response)->status();
  // The body of a watch does not end.
  if (IsWatch(request)) return answer;
  for (const char* name : {"Content-Type", "Retry-After", "Audit-Id", "Warning"}) {
    if (std::string value = (*response)->Header(name); !value.empty()) {
      answer.headers.emplace_back(name, std::move(value));
    }
  }
  Result<std::string> body = ReadAll(**response, kLargestAnswer);
  if (!body) return exchange.Reason(body.status());
  answer.body = *std::move(body);
  return answer;
}

FaultInjector::Impl::Answered FaultInjector::Impl::Carry(
    const HttpRequest& request, const std::shared_ptr<FaultyExchange>& exchange,
    const Action& action) {
  switch (action.kind) {
    case Kind::kRefuse:
      return Status(StatusReason::kTransport, "connection refused");
    case Kind::kAnswer:
      return fault::Answer(action.answer);
    case Kind::kAnswerAfter:
    case Kind::kTimeOutAfter:
    case Kind::kDropAfter: {
      const Result<WholeAnswer> lost = AskForAll(request, *exchange);
      if (!lost) return lost.status();
      if (action.kind == Kind::kAnswerAfter) return fault::Answer(action.answer);
      if (action.kind == Kind::kTimeOutAfter) return exchange->TimeOut();
      return Status(StatusReason::kTransport, "connection reset by peer");
    }
    case Kind::kNone:
    case Kind::kDelay:
    case Kind::kCut:
    case Kind::kDo:
      break;
  }
  if (IsCachedRead(request) && action.kind == Kind::kNone)
    return CarryCachedRead(request, exchange);
  Answered answer = Ask(request, *exchange);
  if (!answer) return answer;
  if (action.kind == Kind::kDelay) {
    if (Status status = exchange->Delay(action.delay); !status.ok()) return status;
  }
  std::optional<fault::WatchCut> cut;
  if (action.kind == Kind::kCut) cut = action.cut;
  return fault::PassOn(*std::move(answer), exchange, IsWatch(request), cut);
}

FaultInjector::Impl::Answered FaultInjector::Impl::CarryCachedRead(
    const HttpRequest& request, const std::shared_ptr<FaultyExchange>& exchange) {
  if (switches->IsLagging()) {
    {
      MutexLock lock(mutex);
      const auto found = remembered.find(request.target);
      if (found != remembered.end()) {
        Note(request, "answered from before the lag");
        return fault::Answer(found->second);
      }
      Note(request, "held until the end of the lag");
    }
    if (Status status = exchange->WaitForTheEndOfTheLag(); !status.ok()) return status;
  }
  Result<WholeAnswer> answer = AskForAll(request, *exchange);
  if (!answer) return answer.status();
  if (answer->status == 200 && !switches->IsLagging()) {
    MutexLock lock(mutex);
    if (remembered.size() < kRememberedAnswers || remembered.contains(request.target)) {
      remembered.insert_or_assign(request.target, *answer);
    }
  }
  return fault::Answer(*std::move(answer));
}

std::vector<Fault> FaultInjector::All() {
  return {Fault::kRefuse,    Fault::kStatus500,       Fault::kStatus500After, Fault::kTimeoutAfter,
          Fault::kDropAfter, Fault::kTooManyRequests, Fault::kConflict,       Fault::kDelay,
          Fault::kTearWatch, Fault::kEndWatch,        Fault::kExpireWatch,    Fault::kStaleRead};
}

FaultInjector::FaultInjector(std::shared_ptr<Transport> inner, Runtime& runtime, uint64_t seed)
    : impl_(std::make_unique<Impl>(std::move(inner), runtime, seed)) {}
FaultInjector::~FaultInjector() = default;

FaultInjector::Rule::Rule(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

FaultInjector::Rule& FaultInjector::Rule::Nth(int n) { return Between(n, n); }
FaultInjector::Rule& FaultInjector::Rule::Between(int first, int last) {
  impl_->first = first;
  impl_->last = last;
  return *this;
}
FaultInjector::Rule& FaultInjector::Rule::WithProbability(double probability) {
  impl_->probability = probability;
  return *this;
}

void FaultInjector::Rule::Fail(int code, std::string_view reason, std::string_view message) {
  impl_->Arm(fault::Fail(code, reason, message.empty() ? kRandomMessage : message));
}
void FaultInjector::Rule::Refuse() { impl_->Arm(fault::Refuse()); }
void FaultInjector::Rule::Delay(Duration by) { impl_->Arm(fault::Delayed(by)); }
void FaultInjector::Rule::TooManyRequests(Duration retry_after) {
  impl_->Arm(fault::TooManyRequests(retry_after));
}
void FaultInjector::Rule::FailAfter(int code) {
  impl_->Arm(fault::FailAfter(code, kRandomMessage));
}
void FaultInjector::Rule::TimeOutAfter() { impl_->Arm(fault::TimeOutAfter()); }
void FaultInjector::Rule::DropAfter() { impl_->Arm(fault::DropAfter()); }
void FaultInjector::Rule::TearAfter(int events) { impl_->Arm(fault::Cut(events, true)); }
void FaultInjector::Rule::EndAfter(int events) { impl_->Arm(fault::Cut(events, false)); }
void FaultInjector::Rule::Expire() { impl_->Arm(fault::Expire()); }
void FaultInjector::Rule::Do(std::function<void(const HttpRequest&)> act) {
  impl_->Arm(fault::Do(std::move(act)));
}

FaultInjector::Rule FaultInjector::On(RequestMatcher matcher) {
  return Rule(std::make_shared<Rule::Impl>(Rule::Impl{*impl_, std::move(matcher)}));
}
FaultInjector::Rule FaultInjector::OnWatch(RequestMatcher matcher) {
  return Rule(std::make_shared<Rule::Impl>(Rule::Impl{*impl_, std::move(matcher), true}));
}

void FaultInjector::Randomly(RandomFaults faults) {
  MutexLock lock(impl_->mutex);
  impl_->random_faults = std::move(faults);
}

void FaultInjector::SetDown(bool down) { impl_->switches->SetDown(down); }
void FaultInjector::SetLagging(bool lagging) { impl_->switches->SetLagging(lagging); }

void FaultInjector::Clear() {
  MutexLock lock(impl_->mutex);
  impl_->rules.clear();
  impl_->random_faults = {};
}

std::vector<std::string> FaultInjector::Log() const {
  MutexLock lock(impl_->mutex);
  return {impl_->log.begin(), impl_->log.end()};
}

Result<std::unique_ptr<HttpResponse>> FaultInjector::RoundTrip(const HttpRequest& request,
                                                               std::stop_token stop) {
  if (stop.stop_requested()) return Status::Canceled();
  if (Status late = CheckSendBefore(request, impl_->runtime.Now()); !late.ok()) return late;
  const auto exchange = std::make_shared<FaultyExchange>(impl_->switches, request, std::move(stop));
  if (exchange->refused()) {
    {
      MutexLock lock(impl_->mutex);
      impl_->Note(request, "refused, as the server is down");
    }
    return impl_->Carry(request, exchange, fault::Refuse());
  }
  const Impl::Plan plan = impl_->Decide(request);
  for (const auto& act : plan.acts) act(request);
  return impl_->Carry(request, exchange, plan.action);
}

}  // namespace capstan::testing
