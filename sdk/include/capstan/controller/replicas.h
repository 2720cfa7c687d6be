#pragma once

/// Arithmetic on counts of replicas.
///
/// Replica counts in the API are int32_t. Controllers compute in int64_t, where sums of such counts
/// do not overflow, and narrow the result once:
///
///     int64_t total = 0;
///     for (const auto& set : sets) total += ReplicasOf(*set);
///     status.replicas = SaturatedInt32(total);
///
/// Threads: the functions are stateless.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace capstan {

/// Returns spec.replicas of a workload (Deployment, ReplicaSet, StatefulSet). The server defaults
/// it to 1 and rejects negative values.
template <class T>
requires requires(const T& workload) { workload.spec.replicas.value_or(1); }
int64_t ReplicasOf(const T& workload) {
  return std::max<int64_t>(0, workload.spec.replicas.value_or(1));
}

/// Returns `value` clamped to the range of int32_t.
constexpr int32_t SaturatedInt32(int64_t value) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

}  // namespace capstan
