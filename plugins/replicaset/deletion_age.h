#pragma once

/// How well the choice of pods to delete keeps old ones: replicaset_controller's
/// sorting_deletion_age_ratio.

#include <vector>

#include "types.h"

namespace capstan::replicaset {

/// Of each ready pod of `removed`, how many times as old it is as the youngest ready pod of
/// `active`, without the fraction, as the reference counts. Should be below 2. None when the
/// youngest was created just now.
std::vector<double> DeletionAgeRatios(const std::vector<PodPtr>& active,
                                      const std::vector<PodPtr>& removed, WallTime now);

}  // namespace capstan::replicaset
