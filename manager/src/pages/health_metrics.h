#pragma once

/// HealthMetrics: results of health checks as service level indicators, in a separate registry.
/// https://kubernetes.io/docs/reference/instrumentation/slis/
///
/// Threads: all methods may be called from any thread.

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/mutex.h>

namespace capstan::manager {

class HealthMetrics {
 public:
  /// Records one result. `page` is a name such as "healthz".
  void Observe(const std::string& page, const std::string& check, bool healthy);
  /// Removes the last results of all checks of this page that are not in `checks`.
  void Keep(const std::string& page, const std::set<std::string>& checks);
  /// Returns the metrics in the text exposition format.
  std::string Serialize() const { return registry_.Serialize(); }

 private:
  struct Last {
    std::shared_ptr<std::atomic<bool>> healthy;
    std::shared_ptr<void> registration;
  };

  MetricsRegistry registry_{ProcessMetrics::kLeftOut};
  Mutex mutex_;
  /// By page and check.
  std::map<std::pair<std::string, std::string>, Last> last_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
