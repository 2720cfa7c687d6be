#pragma once

/// PluginSelection: the plugins that shall run, which may change while the process runs.
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
  /// Changes it and calls what OnChange was given.
  void Set(std::vector<LoadedPlugin> plugins) {
    MutexLock turn(turn_);
    {
      MutexLock lock(mutex_);
      plugins_ = std::move(plugins);
    }
    if (on_change_) on_change_();
  }
  /// Null: nobody is told any more. Waits for a call that is under way; so not from within one.
  void OnChange(std::function<void()> changed) {
    MutexLock turn(turn_);
    on_change_ = std::move(changed);
  }

 private:
  Mutex turn_;  // held while somebody is told
  std::function<void()> on_change_ CAPSTAN_GUARDED_BY(turn_);
  mutable Mutex mutex_;
  std::vector<LoadedPlugin> plugins_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
