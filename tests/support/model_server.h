#pragma once

// ModelServer: a Transport to a server with limited capacity. It answers 200, or 429 with
// Retry-After. The limits may be changed at any time.
//
// Threads: all methods may be called from any thread. Waits use the Runtime.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/client/transport.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "queue/token_bucket.h"

namespace capstan::testing {

struct ServerModel {
  Duration latency = std::chrono::milliseconds(5);  // of a request that is not queued
  double capacity = 0;        // requests per second, processed one after the other; 0 = unlimited
  size_t queue_limit = 1000;  // maximum number of queued requests; further ones are refused
  double rate_limit = 0;      // requests per second above which requests are refused; 0 = unlimited
  int rate_burst = 10;
};

class ModelServer final : public Transport {
 public:
  struct Counts {
    size_t answered = 0;
    size_t refused = 0;
    Duration latency = {};  // sum over all answered requests
  };

  explicit ModelServer(Runtime& runtime, ServerModel model = {}) : runtime_(runtime) {
    Become(model);
  }

  void Become(const ServerModel& model) {
    const MonotonicTime now = runtime_.Now();
    MutexLock lock(mutex_);
    model_ = model;
    bucket_ = TokenBucket(model.rate_limit, model.rate_burst, now);
  }
  // The counts since the last call.
  Counts TakeCounts() {
    MutexLock lock(mutex_);
    return std::exchange(counts_, {});
  }

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest&,
                                                  std::stop_token stop) override {
    const MonotonicTime now = runtime_.Now();
    const auto [code, done] = Admit(now);
    if (!runtime_.SleepFor(done - now, stop)) return Status::Canceled();
    MutexLock lock(mutex_);
    ++(code == 200 ? counts_.answered : counts_.refused);
    if (code == 200) counts_.latency += done - now;
    return std::unique_ptr<HttpResponse>(std::make_unique<Response>(code));
  }

 private:
  class Response final : public HttpResponse {
   public:
    explicit Response(int status) : status_(status) {}
    int status() const override { return status_; }
    std::string Header(std::string_view name) const override {
      return status_ == 429 && name == "Retry-After" ? "1" : "";
    }
    Result<size_t> Read(char*, size_t) override { return size_t{0}; }

   private:
    const int status_;
  };

  // The response code, and the time of the response.
  std::pair<int, MonotonicTime> Admit(MonotonicTime now) {
    MutexLock lock(mutex_);
    const std::pair refused{429, now + std::chrono::milliseconds(1)};
    if (!bucket_.TryTake(now)) return refused;
    if (model_.capacity <= 0) return {200, now + model_.latency};
    const std::chrono::duration<double> work(1 / model_.capacity);
    const auto waiting =
        static_cast<size_t>(std::max(0.0, std::chrono::duration<double>(free_at_ - now) / work));
    if (waiting > model_.queue_limit) return refused;
    free_at_ = std::max(free_at_, now) + std::chrono::duration_cast<Duration>(work);
    return {200, free_at_ + model_.latency};
  }

  Runtime& runtime_;
  Mutex mutex_;
  ServerModel model_ CAPSTAN_GUARDED_BY(mutex_);
  TokenBucket bucket_ CAPSTAN_GUARDED_BY(mutex_){0, 1, {}};
  MonotonicTime free_at_ CAPSTAN_GUARDED_BY(mutex_);  // when all admitted requests are processed
  Counts counts_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::testing
