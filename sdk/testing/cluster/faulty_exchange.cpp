#include "cluster/faulty_exchange.h"

#include <algorithm>
#include <cstring>

#include <capstan/runtime/format.h>

#include "base/text/ascii.h"
#include "cluster/event_counter.h"

namespace capstan::testing::fault {
namespace {

Status Broken() { return {StatusReason::kTransport, "connection reset by peer"}; }

class WholeResponse final : public HttpResponse {
 public:
  explicit WholeResponse(WholeAnswer answer) : answer_(std::move(answer)) {}

  int status() const override { return answer_.status; }
  std::string Header(std::string_view name) const override {
    for (const auto& [key, value] : answer_.headers) {
      if (text::EqualIgnoringCase(key, name)) return value;
    }
    return {};
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::min(size, answer_.body.size() - read_);
    std::memcpy(buffer, answer_.body.data() + read_, count);
    read_ += count;
    return count;
  }

 private:
  const WholeAnswer answer_;
  size_t read_ = 0;
};

class PassedResponse final : public HttpResponse {
 public:
  PassedResponse(std::unique_ptr<HttpResponse> inner, std::shared_ptr<FaultyExchange> exchange,
                 bool is_watch, std::optional<WatchCut> cut)
      : exchange_(std::move(exchange)),
        inner_(std::move(inner)),
        is_watch_(is_watch),
        cut_(cut),
        counter_(inner_->Header("Content-Type")) {}

  int status() const override { return inner_->status(); }
  std::string Header(std::string_view name) const override { return inner_->Header(name); }

  Result<size_t> Read(char* buffer, size_t size) override {
    while (true) {
      if (!ready_.empty()) return Hand(buffer, size);
      if (over_) {
        if (cut_->torn) return Broken();
        return size_t{0};
      }
      if (cut_ && !cut_->torn && cut_->events == 0) {
        over_ = true;
        continue;
      }
      if (Status status = exchange_->Reason(Status::Ok()); !status.ok()) return status;
      Result<size_t> count = inner_->Read(buffer, size);
      if (!count) return exchange_->Reason(count.status());
      // Data that arrives while the server lags stays hidden until the lag ends.
      if (is_watch_) {
        if (Status status = exchange_->WaitForTheEndOfTheLag(); !status.ok()) return status;
      }
      if (*count == 0 || !cut_) return count;
      Cut({buffer, *count});
    }
  }

 private:
  size_t Hand(char* buffer, size_t size) {
    const size_t count = std::min(size, ready_.size());
    std::memcpy(buffer, ready_.data(), count);
    ready_.erase(0, count);
    return count;
  }

  // The event in which a watch is torn is buffered until it is complete. Then half of it is
  // returned.
  void Cut(std::string_view bytes) {
    while (!bytes.empty() && !over_) {
      const bool is_last = counter_.events() == cut_->events;
      const auto [count, ended] = counter_.Take(bytes);
      (is_last ? last_ : ready_).append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      if (!ended) continue;
      if (is_last) {
        ready_.append(last_, 0, last_.size() / 2);
        over_ = true;
      } else if (!cut_->torn && counter_.events() == cut_->events) {
        over_ = true;
      }
    }
  }

  const std::shared_ptr<FaultyExchange> exchange_;
  const std::unique_ptr<HttpResponse> inner_;
  const bool is_watch_;
  const std::optional<WatchCut> cut_;
  EventCounter counter_;
  std::string ready_;  // data to return
  std::string last_;   // bytes of the event in which the watch is torn
  bool over_ = false;
};

std::string_view UsualReason(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "";
  }
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

std::string StatusJson(int code, std::string_view reason, std::string_view message,
                       std::optional<Duration> retry_after) {
  return Format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":{},)"
      R"("reason":{},{}"code":{}}})",
      Quoted(message), Quoted(reason.empty() ? UsualReason(code) : reason),
      retry_after ? Format(R"("details":{{"retryAfterSeconds":{}}},)", WholeSeconds(*retry_after))
                  : std::string(),
      code);
}

}  // namespace

void FaultSwitches::SetDown(bool down) {
  std::vector<std::shared_ptr<std::stop_source>> broken;
  {
    MutexLock lock(mutex_);
    down_ = down;
    if (down) {
      for (FaultyExchange* exchange : open_) {
        exchange->broken_ = true;
        broken.push_back(exchange->inner_stop_);
      }
    }
    changed_->NotifyAll();
  }
  for (const auto& stop : broken) stop->request_stop();
}

void FaultSwitches::SetLagging(bool lagging) {
  MutexLock lock(mutex_);
  lagging_ = lagging;
  changed_->NotifyAll();
}

bool FaultSwitches::IsLagging() const {
  MutexLock lock(mutex_);
  return lagging_;
}

FaultyExchange::FaultyExchange(std::shared_ptr<FaultSwitches> switches, const HttpRequest& request,
                               std::stop_token stop)
    : switches_(std::move(switches)),
      stop_(std::move(stop)),
      deadline_(request.timeout ? std::optional(switches_->runtime_.Now() + *request.timeout)
                                : std::nullopt),
      relay_(stop_, Relay{inner_stop_}) {
  MutexLock lock(switches_->mutex_);
  refused_ = switches_->down_;
  switches_->open_.push_back(this);
}

FaultyExchange::~FaultyExchange() {
  MutexLock lock(switches_->mutex_);
  std::erase(switches_->open_, this);
}

Status FaultyExchange::Reason(const Status& status) const {
  if (stop_.stop_requested()) return Status::Canceled();
  MutexLock lock(switches_->mutex_);
  return broken_ ? Broken() : status;
}

Status FaultyExchange::Delay(Duration duration) {
  return WaitUntil(switches_->runtime_.Now() + duration, false);
}

Status FaultyExchange::TimeOut() {
  if (!deadline_) return Broken();
  return WaitUntil(std::nullopt, false);
}

Status FaultyExchange::WaitForTheEndOfTheLag() { return WaitUntil(std::nullopt, true); }

Status FaultyExchange::WaitUntil(std::optional<MonotonicTime> time, bool while_lagging) {
  FaultSwitches& switches = *switches_;
  const StopWaker waker(stop_, switches.mutex_, *switches.changed_);
  MutexLock lock(switches.mutex_);
  while (true) {
    if (stop_.stop_requested()) return Status::Canceled();
    if (broken_) return Broken();
    if (while_lagging && !switches.lagging_) return Status::Ok();
    const MonotonicTime now = switches.runtime_.Now();
    if (time && now >= *time) return Status::Ok();
    if (deadline_ && now >= *deadline_) {
      return {StatusReason::kDeadlineExceeded, "no response within the timeout"};
    }
    std::optional<MonotonicTime> until = time;
    if (deadline_ && (!until || *deadline_ < *until)) until = deadline_;
    if (until) {
      switches.changed_->WaitUntil(switches.mutex_, *until);
    } else {
      switches.changed_->Wait(switches.mutex_);
    }
  }
}

std::unique_ptr<HttpResponse> PassOn(std::unique_ptr<HttpResponse> inner,
                                     std::shared_ptr<FaultyExchange> exchange, bool is_watch,
                                     std::optional<WatchCut> cut) {
  return std::make_unique<PassedResponse>(std::move(inner), std::move(exchange), is_watch, cut);
}

std::unique_ptr<HttpResponse> Answer(WholeAnswer answer) {
  return std::make_unique<WholeResponse>(std::move(answer));
}

WholeAnswer FailureAnswer(int code, std::string_view reason, std::string_view message,
                          std::optional<Duration> retry_after) {
  WholeAnswer answer;
  answer.status = code;
  answer.headers = {{"Content-Type", "application/json"}};
  if (retry_after) {
    answer.headers.emplace_back("Retry-After", std::to_string(WholeSeconds(*retry_after)));
  }
  answer.body = StatusJson(code, reason, message, retry_after);
  return answer;
}

WholeAnswer ExpiredWatchAnswer() {
  WholeAnswer answer;
  answer.headers = {{"Content-Type", "application/json"}};
  answer.body = Format("{{\"type\":\"ERROR\",\"object\":{}}}\n",
                       StatusJson(410, "Expired", "too old resource version", std::nullopt));
  return answer;
}

}  // namespace capstan::testing::fault
