#pragma once

/// FileWatch: polls a file and reports changes of its content. It also notices when a symbolic link
/// in the path changes its target, which is how Kubernetes updates mounted ConfigMaps.
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
  /// Checks the file every `period`. `changed` is called on a dedicated thread, one call at a time.
  FileWatch(Runtime& runtime, std::string path, Duration period, std::function<void()> changed);
  ~FileWatch();  ///< waits for a running call
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Makes the watching thread call `changed` now, whether or not the content has changed.
  void CallNow();

 private:
  void Watch(const std::stop_token& stop);
  bool AwaitTurn(const std::stop_token& stop);

  Runtime& runtime_;
  const std::string path_;
  const Duration period_;
  const std::function<void()> changed_;
  std::string content_;  // used only by the watching thread after construction
  std::stop_source stop_;
  Mutex mutex_;
  std::unique_ptr<Condition> woken_;
  bool asked_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Thread> thread_;  // declared last: it uses all other members
};

}  // namespace capstan::manager
