#pragma once

/// PluginSelection: the plugins selected to run. The selection may change while the process runs.
///
/// Threads: all methods may be called from any thread.

#include <functional>
#include <utility>
#include <vector>

#include <capstan/runtime/mutex.h>

#include "plugins/plugin_loader.h"

namespace capstan::manager {

class PluginSelection {
 public:
  explicit PluginSelection(std::vector<LoadedPlugin> plugins) : plugins_(std::move(plugins)) {}

  std::vector<LoadedPlugin> Get() const {
    MutexLock lock(mutex_);
    return plugins_;
  }
  /// Replaces the selection and calls the function set with OnChange.
  void Set(std::vector<LoadedPlugin> plugins) {
    MutexLock turn(turn_);
    {
      MutexLock lock(mutex_);
      plugins_ = std::move(plugins);
    }
    if (on_change_) on_change_();
  }
  /// Sets the function that Set calls; null removes it. Waits for a running call, so it must not be
  /// called from that function.
  void OnChange(std::function<void()> changed) {
    MutexLock turn(turn_);
    on_change_ = std::move(changed);
  }

 private:
  Mutex turn_;  // held during the callback
  std::function<void()> on_change_ CAPSTAN_GUARDED_BY(turn_);
  mutable Mutex mutex_;
  std::vector<LoadedPlugin> plugins_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
