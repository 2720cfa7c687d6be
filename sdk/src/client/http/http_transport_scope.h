#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "base/io/unique_fd.h"

namespace capstan::client {

/// Ends a request early on its caller's stop token or its deadline. All waits for sockets, pipes
/// and lookups go through Wait, so that either ends them at once. Used by one thread at a time.
class RequestScope {
 public:
  RequestScope(const Clock& clock, std::stop_token stop, std::optional<Duration> timeout);
  ~RequestScope();
  RequestScope(const RequestScope&) = delete;
  RequestScope& operator=(const RequestScope&) = delete;

  /// Returns OK, Canceled or DeadlineExceeded.
  Status Check() const;
  /// Waits until one of poll(2)'s `events` (or an error) occurs on `fd`. False if `limit` passes
  /// first.
  Result<bool> Wait(int fd, short events, std::optional<MonotonicTime> limit = std::nullopt) const;

  MonotonicTime Now() const { return clock_.Monotonic(); }

 private:
  struct Wake {
    int fd;
    void operator()() const;
  };

  const Clock& clock_;
  const std::stop_token stop_;
  const std::optional<Duration> timeout_;
  std::optional<MonotonicTime> deadline_;
  io::UniqueFd wake_fd_;  // an eventfd; none if the request cannot be stopped
  std::optional<std::stop_callback<Wake>> callback_;
};

}  // namespace capstan::client
