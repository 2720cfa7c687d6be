#pragma once

/// DeadlineStop: a stop token that triggers at a moment, or when another token does.

#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

namespace capstan::io {

class DeadlineStop {
 public:
  DeadlineStop(Runtime& runtime, MonotonicTime deadline, const std::stop_token& parent);
  ~DeadlineStop();  ///< leaves the token as it is
  DeadlineStop(const DeadlineStop&) = delete;
  DeadlineStop& operator=(const DeadlineStop&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Watch(MonotonicTime deadline, const std::stop_token& parent);

  std::stop_source source_;
  Mutex mutex_;
  std::unique_ptr<Condition> condition_;
  bool done_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

}  // namespace capstan::io
