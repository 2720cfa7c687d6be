#pragma once

/// HealthMetrics: outcomes of health checks as service level indicators, in a registry of their
/// own. https://kubernetes.io/docs/reference/instrumentation/slis/
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
  /// `page` is "healthz".
  void Observe(const std::string& page, const std::string& check, bool healthy);
  /// Forgets the last outcomes of other checks of this page, as they are no more.
  void Keep(const std::string& page, const std::set<std::string>& checks);
  /// In the text exposition format.
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
