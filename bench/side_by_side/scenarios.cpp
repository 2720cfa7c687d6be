#include "bench/side_by_side/scenarios.h"

namespace capstan::bench {

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> scenarios = {
      {"idle", "an idle manager: memory, CPU, wake-ups", MeasureIdle},
      {"cold_start", "the start of a manager in a full cluster", MeasureColdStart},
      {"bursts", "create, image change and scale-down of many Deployments", MeasureBursts},
      {"default_flags", "create and image change with the default request rate",
       MeasureDefaultFlags},
      {"one_rollout", "one Deployment in an idle cluster", MeasureOneRollout},
      {"failover", "the first write after the leader has ended", MeasureFailover},
      {"reconcile", "CPU of one reconcile in a small and in a large cluster", MeasureReconcile},
  };
  return scenarios;
}

}  // namespace capstan::bench
