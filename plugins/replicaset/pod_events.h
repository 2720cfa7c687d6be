#pragma once

/// What an event of a pod means for ReplicaSets beyond "your pod has changed".

#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/cache/lister.h>

#include "types.h"

namespace capstan::replicaset {

/// An orphan that is new, or whose labels or owner have changed, wakes each ReplicaSet that could
/// adopt it.
void WakeAdopters(const Pod* before, const Pod* after, const Lister<ReplicaSet>& sets,
                  std::vector<NamespacedName>& keys);

}  // namespace capstan::replicaset
