#pragma once

/// Computes the metric sorting_deletion_age_ratio of replicaset_controller: how well the choice of
/// pods to delete keeps old pods.

#include <vector>

#include "types.h"

namespace capstan::replicaset {

/// Returns for each ready pod of `removed` the ratio of its age to that of the youngest ready pod
/// of `active`. The fraction is cut off, as in kube-controller-manager. Ratios should be below 2.
/// The result is empty if the youngest pod was created just now.
std::vector<double> DeletionAgeRatios(const std::vector<PodPtr>& active,
                                      const std::vector<PodPtr>& removed, WallTime now);

}  // namespace capstan::replicaset
