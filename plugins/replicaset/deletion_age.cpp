#include "deletion_age.h"

#include <chrono>
#include <optional>

namespace capstan::replicaset {
namespace {

using std::chrono::milliseconds;

milliseconds AgeOf(const Pod& pod, WallTime now) {
  return std::chrono::duration_cast<milliseconds>(now -
                                                  pod.metadata.creationTimestamp.ToWallTime());
}

}  // namespace

std::vector<double> DeletionAgeRatios(const std::vector<PodPtr>& active,
                                      const std::vector<PodPtr>& removed, WallTime now) {
  std::optional<milliseconds> youngest;
  for (const PodPtr& pod : active) {
    if (!IsReady(*pod)) continue;
    const milliseconds age = AgeOf(*pod, now);
    if (!youngest || age < *youngest) youngest = age;
  }
  std::vector<double> ratios;
  if (!youngest || *youngest <= milliseconds::zero()) return ratios;
  for (const PodPtr& pod : removed) {
    if (IsReady(*pod)) ratios.push_back(static_cast<double>(AgeOf(*pod, now) / *youngest));
  }
  return ratios;
}

}  // namespace capstan::replicaset
