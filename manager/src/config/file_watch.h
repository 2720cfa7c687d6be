#pragma once

/// FileWatch: notices that what a file holds has changed, also when a symbolic link on the way to
/// it leads elsewhere (as Kubernetes updates mounted ConfigMaps).
///
/// Threads: all methods may be called from any thread.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/runtime/runtime.h>

namespace capstan::manager {

class FileWatch {
 public:
  /// Looks every `period`; `changed` is called on a thread of its own, by one at a time.
  FileWatch(Runtime& runtime, std::string path, Duration period, std::function<void()> changed);
  ~FileWatch();  ///< waits for the call that is under way
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Calls `changed` now, whatever the file holds.
  void CallNow();

 private:
  void Watch(const std::stop_token& stop);
  bool AwaitTurn(const std::stop_token& stop);

  Runtime& runtime_;
  const std::string path_;
  const Duration period_;
  const std::function<void()> changed_;
  std::string content_;  // the watching thread's, once there is one
  std::stop_source stop_;
  Mutex mutex_;
  std::unique_ptr<Condition> woken_;
  bool asked_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

}  // namespace capstan::manager
