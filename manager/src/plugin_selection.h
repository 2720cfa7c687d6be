#pragma once

/// PluginSelection: the plugins that shall run, which may change while the process runs.
///
/// Threads: all methods may be called from any thread.

#include <functional>
#include <utility>
#include <vector>

#include <capstan/runtime/mutex.h>

#include "plugin_loader.h"

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
    std::function<void()> changed;
    {
      MutexLock lock(mutex_);
      plugins_ = std::move(plugins);
      changed = on_change_;
    }
    if (changed) changed();
  }
  /// Null: nobody is told any more. A call may still be under way, so what it uses outlives Set.
  void OnChange(std::function<void()> changed) {
    MutexLock lock(mutex_);
    on_change_ = std::move(changed);
  }

 private:
  mutable Mutex mutex_;
  std::vector<LoadedPlugin> plugins_ CAPSTAN_GUARDED_BY(mutex_);
  std::function<void()> on_change_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
