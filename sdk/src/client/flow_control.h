#pragma once

// TokenBucket: how often requests may be sent. (client-go util/flowcontrol)
//
// Threads: all methods may be called from any thread.

#include <functional>
#include <stop_token>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class TokenBucket {
 public:
  // `qps` <= 0: no limit.
  TokenBucket(Runtime& runtime, double qps, int burst);

  // Takes a token, waiting for it when there is none. False when `stop` was triggered first: the
  // token is given back.
  bool Accept(const std::stop_token& stop);
  // The same, waiting by means of `wait`, which says false to give up.
  bool AcceptBy(const std::function<bool(Duration)>& wait);

 private:
  // Takes a token, maybe one that is yet to come, and tells in how long it does.
  Duration Reserve();
  void GiveBack();

  Runtime& runtime_;
  const double qps_;
  const double burst_;
  Mutex mutex_;
  double tokens_ CAPSTAN_GUARDED_BY(mutex_);
  MonotonicTime last_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
