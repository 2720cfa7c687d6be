#pragma once

/// A seeded cluster, and the start of a manager in it.

#include <memory>
#include <string>

#include "bench/parts/process_usage.h"
#include "bench/side_by_side/cluster.h"
#include "bench/side_by_side/seed.h"

namespace capstan::bench {

/// The templates of this run. Made by the first call.
const SeedTemplates& SharedTemplates();

/// A new cluster with these objects, whose server has filled its caches.
std::unique_ptr<Cluster> NewFullCluster(const std::string& scenario, ManagerKind kind,
                                        const SeedSize& size);

/// "50,000 pods, 7,500 ReplicaSets, 2,500 Deployments"
std::string TextOf(const SeedSize& size);

struct StartFigures {
  double first_write = 0;  // seconds since exec
  Cost cost;               // until the manager was idle
  MemoryUse memory;        // `quiet_seconds` later
};
/// Adds one replica to a Deployment in the middle, so that there is one thing to do, and starts the
/// manager. It runs on.
StartFigures StartInFullCluster(Cluster& cluster, const SeedSize& size,
                                const std::vector<std::string>& flags, int quiet_seconds);

}  // namespace capstan::bench
