#pragma once

/// DeadlineStop: a stop token that triggers at a deadline or when a parent token triggers.

#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

namespace capstan::io {

class DeadlineStop {
 public:
  DeadlineStop(Runtime& runtime, MonotonicTime deadline, const std::stop_token& parent);
  ~DeadlineStop();  ///< does not trigger the token
  DeadlineStop(const DeadlineStop&) = delete;
  DeadlineStop& operator=(const DeadlineStop&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Watch(MonotonicTime deadline, const std::stop_token& parent);

  std::stop_source source_;
  Mutex mutex_;
  std::unique_ptr<Condition> condition_;
  bool done_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;  // declared last: it uses all other members
};

}  // namespace capstan::io
