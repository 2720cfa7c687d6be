#pragma once

/// HangupMonitor: notices clients that go away while nothing is sent to them, as those of quiet
/// watches.

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan::playground {

/// Threads: all methods may be called from any thread.
class HangupMonitor {
 public:
  explicit HangupMonitor(Runtime& runtime);
  ~HangupMonitor();
  HangupMonitor(const HangupMonitor&) = delete;
  HangupMonitor& operator=(const HangupMonitor&) = delete;

  /// While it lives, its socket is looked after.
  class Guard {
   public:
    Guard(HangupMonitor& monitor, int socket, std::stop_source on_hangup);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    HangupMonitor& monitor_;
    const int socket_;
    uint64_t id_ = 0;
  };

 private:
  void Run();
  void HungUp(uint64_t id);

  int poll_;
  int end_;
  Mutex mutex_;
  uint64_t last_id_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::stop_source> watched_ CAPSTAN_GUARDED_BY(mutex_);
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

}  // namespace capstan::playground
