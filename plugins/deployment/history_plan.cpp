#include "history_plan.h"

#include <algorithm>

#include "revision_plan.h"
#include "scale_plan.h"

namespace capstan::deployment {

std::vector<size_t> PlanHistory(const Deployment& deployment,
                                const std::vector<const ReplicaSet*>& old_sets) {
  if (!HasRevisionHistoryLimit(deployment)) return {};
  std::vector<size_t> kept;
  for (size_t i = 0; i < old_sets.size(); ++i) {
    if (!old_sets[i]->metadata.deletionTimestamp) kept.push_back(i);
  }
  const size_t limit =
      static_cast<size_t>(std::max<int32_t>(0, *deployment.spec.revisionHistoryLimit));
  if (kept.size() <= limit) return {};

  std::sort(kept.begin(), kept.end(), [&](size_t a, size_t b) {
    const int64_t revision_a = RevisionOf(*old_sets[a]).value_or(0);
    const int64_t revision_b = RevisionOf(*old_sets[b]).value_or(0);
    if (revision_a != revision_b) return revision_a < revision_b;
    return CreatedBefore(*old_sets[a], *old_sets[b]);
  });
  kept.resize(kept.size() - limit);
  std::erase_if(kept, [&](size_t i) {
    const ReplicaSet& set = *old_sets[i];
    return set.status.replicas != 0 || ReplicasOf(set) != 0 ||
           set.metadata.generation > set.status.observedGeneration;
  });
  return kept;
}

}  // namespace capstan::deployment
