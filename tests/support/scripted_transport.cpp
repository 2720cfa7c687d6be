#include "scripted_transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include <capstan/runtime/format.h>

#include "base/text/ascii.h"

namespace capstan::testing {
namespace {

class ScriptedResponse final : public HttpResponse {
 public:
  ScriptedResponse(ScriptedAnswer answer, std::shared_ptr<ScriptedWatch> watch,
                   std::stop_token stop)
      : answer_(std::move(answer)), watch_(std::move(watch)), stop_(std::move(stop)) {
    if (watch_) watch_->SetOpen(true);
  }
  ~ScriptedResponse() override {
    if (watch_) watch_->SetOpen(false);
  }

  int status() const override { return answer_.status; }
  std::string Header(std::string_view name) const override {
    for (const auto& [key, value] : answer_.headers) {
      if (text::EqualIgnoringCase(key, name)) return value;
    }
    return {};
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    if (stop_.stop_requested()) return Status::Canceled();
    if (watch_) return watch_->Read(buffer, size, stop_);
    const size_t count = std::min(size, answer_.body.size() - read_);
    if (count == 0 && !answer_.torn.ok()) return answer_.torn;
    std::memcpy(buffer, answer_.body.data() + read_, count);
    read_ += count;
    return count;
  }

 private:
  const ScriptedAnswer answer_;
  const std::shared_ptr<ScriptedWatch> watch_;
  const std::stop_token stop_;
  size_t read_ = 0;
};

}  // namespace

ScriptedAnswer JsonAnswer(int status, std::string body) {
  ScriptedAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "application/json"}};
  answer.body = std::move(body);
  return answer;
}

ScriptedAnswer Refused() {
  ScriptedAnswer answer;
  answer.refused = Status(StatusReason::kTransport, "connection refused");
  return answer;
}

ScriptedAnswer StatusAnswer(int code, std::string_view reason, std::string_view message) {
  return JsonAnswer(
      code, Format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{}",)"
                   R"("reason":"{}","code":{}}})",
                   message, reason, code));
}

void ScriptedWatch::Send(std::string_view piece) {
  MutexLock lock(mutex_);
  text_ += piece;
  changed_->NotifyAll();
}

void ScriptedWatch::SendEvent(std::string_view type, std::string_view object) {
  Send(Format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object));
}

void ScriptedWatch::End() {
  MutexLock lock(mutex_);
  ended_ = true;
  changed_->NotifyAll();
}

void ScriptedWatch::Tear() {
  MutexLock lock(mutex_);
  torn_ = true;
  changed_->NotifyAll();
}

bool ScriptedWatch::IsOpen() const {
  MutexLock lock(mutex_);
  return open_;
}

void ScriptedWatch::SetOpen(bool open) {
  MutexLock lock(mutex_);
  open_ = open;
}

Result<size_t> ScriptedWatch::Read(char* buffer, size_t size, const std::stop_token& stop) {
  StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (true) {
    if (stop.stop_requested()) return Status::Canceled();
    if (!text_.empty()) break;
    if (torn_) return Status(StatusReason::kTransport, "connection reset by peer");
    if (ended_) return size_t{0};
    changed_->Wait(mutex_);
  }
  const size_t count = std::min(size, text_.size());
  std::memcpy(buffer, text_.data(), count);
  text_.erase(0, count);
  return count;
}

void ScriptedTransport::On(std::string method, std::string target, ScriptedAnswer answer) {
  MutexLock lock(mutex_);
  rules_.push_back({std::move(method), std::move(target),
                    [answer = std::move(answer)](const HttpRequest&) { return answer; }, nullptr,
                    true});
}

void ScriptedTransport::OnEvery(std::string method, std::string target,
                                std::function<ScriptedAnswer(const HttpRequest&)> answer) {
  MutexLock lock(mutex_);
  rules_.push_back({std::move(method), std::move(target), std::move(answer), nullptr, false});
}

std::shared_ptr<ScriptedWatch> ScriptedTransport::OnWatch(std::string target,
                                                          std::string content_type) {
  ScriptedAnswer head;
  head.headers = {{"Content-Type", std::move(content_type)}};
  auto watch = std::make_shared<ScriptedWatch>(runtime_);
  MutexLock lock(mutex_);
  rules_.push_back({"GET", std::move(target),
                    [head = std::move(head)](const HttpRequest&) { return head; }, watch, true});
  return watch;
}

std::optional<ScriptedTransport::Rule> ScriptedTransport::Take(const HttpRequest& request) {
  MutexLock lock(mutex_);
  requests_.push_back(request);
  for (const bool once : {true, false}) {
    for (auto rule = rules_.begin(); rule != rules_.end(); ++rule) {
      if (rule->once != once || rule->method != request.method ||
          !MatchesPattern(rule->target, request.target)) {
        continue;
      }
      Rule taken = *rule;
      if (once) rules_.erase(rule);
      return taken;
    }
  }
  return std::nullopt;
}

Result<std::unique_ptr<HttpResponse>> ScriptedTransport::RoundTrip(const HttpRequest& request,
                                                                   std::stop_token stop) {
  if (stop.stop_requested()) return Status::Canceled();
  if (Status late = CheckSendBefore(request, runtime_.Now()); !late.ok()) return late;
  std::optional<Rule> rule = Take(request);
  if (!rule) {
    ADD_FAILURE() << "no response is scripted for " << request.method << " " << request.target;
    return Status::InvalidArgument("no response is scripted");
  }
  ScriptedAnswer answer = rule->answer(request);
  const Duration delay = std::min(answer.delay, request.timeout.value_or(answer.delay));
  if (delay > Duration::zero() && !runtime_.SleepFor(delay, stop)) return Status::Canceled();
  if (delay < answer.delay) return Status(StatusReason::kDeadlineExceeded, "no answer in time");
  if (!answer.refused.ok()) return answer.refused;
  return std::unique_ptr<HttpResponse>(
      std::make_unique<ScriptedResponse>(std::move(answer), rule->watch, std::move(stop)));
}

std::vector<HttpRequest> ScriptedTransport::Requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

std::vector<std::string> ScriptedTransport::Lines() const {
  std::vector<std::string> lines;
  for (const HttpRequest& request : Requests()) {
    lines.push_back(request.method + " " + request.target);
  }
  return lines;
}

size_t ScriptedTransport::Count(std::string_view method, std::string_view target) const {
  const std::vector<HttpRequest> requests = Requests();
  return static_cast<size_t>(std::ranges::count_if(requests, [&](const HttpRequest& request) {
    return request.method == method && MatchesPattern(target, request.target);
  }));
}

std::string HeaderOf(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (text::EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

}  // namespace capstan::testing
