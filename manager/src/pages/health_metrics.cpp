#include "pages/health_metrics.h"

namespace capstan::manager {

void HealthMetrics::Observe(const std::string& page, const std::string& check, bool healthy) {
  registry_
      .NewCounter("kubernetes_healthchecks_total", "Runs of health checks by their outcome.",
                  {{"name", check}, {"type", page}, {"status", healthy ? "success" : "error"}})
      .Increment();
  MutexLock lock(mutex_);
  Last& last = last_[{page, check}];
  if (last.healthy) {
    *last.healthy = healthy;
    return;
  }
  last.healthy = std::make_shared<std::atomic<bool>>(healthy);
  last.registration = registry_.RegisterGaugeFunction(
      "kubernetes_healthcheck", "1 when the last run of the health check succeeded, else 0.",
      {{"name", check}, {"type", page}},
      [value = last.healthy] { return value->load() ? 1.0 : 0.0; });
}

void HealthMetrics::Keep(const std::string& page, const std::set<std::string>& checks) {
  MutexLock lock(mutex_);
  std::erase_if(last_, [&](const auto& entry) {
    return entry.first.first == page && !checks.contains(entry.first.second);
  });
}

}  // namespace capstan::manager
