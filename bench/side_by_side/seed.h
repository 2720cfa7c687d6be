#pragma once

/// Seed: a cluster with many pods that has nothing to do, written straight into etcd.
///
/// A kube-controller-manager makes one Deployment with three revisions and 20 pods. The stored
/// values of these objects are the templates of all others: in a copy, names and UIDs are replaced
/// by others of the same length, so that nothing else of the encoding changes.

#include <string>
#include <vector>

#include <capstan/api/uid.h>

#include "bench/side_by_side/etcd.h"

namespace capstan::bench {

inline constexpr int kSeedPodsEach = 20;  // of each Deployment
inline constexpr int kSeedReplicaSetsEach = 3;

struct SeedSize {
  int pods = 0;
  int namespaces = 1;

  int deployments() const { return (pods + kSeedPodsEach - 1) / kSeedPodsEach; }
  int replica_sets() const { return deployments() * kSeedReplicaSetsEach; }
};

/// "bench-007"
std::string SeedNamespace(int number);
/// The namespace of DeploymentName(number): they take turns.
std::string SeedNamespaceOf(const SeedSize& size, int number);

/// The values in etcd of the first Deployment with all that belongs to it.
/// Threads: immutable.
class SeedTemplates {
 public:
  /// Makes them, on a server of their own.
  SeedTemplates();

  /// All that belongs to Deployment `number`.
  std::vector<KeyValue> Copy(const SeedSize& size, int number) const;
  KeyValue CopyNamespace(int number) const;

 private:
  struct Object {
    std::string key, value, name, uid;
  };
  static Object Take(const Etcd& etcd, const std::string& key, std::string name, const Uid& uid);
  // Replaces what differs between the copies of all kinds.
  void Rename(std::string& text, const std::string& namespace_name, int number) const;

  Object namespace_, deployment_;
  std::vector<Object> replica_sets_;
  Object pod_;
};

/// Writes the cluster. etcd must have no such objects yet.
void Seed(const std::string& etcd_url, const SeedTemplates& templates, const SeedSize& size);

}  // namespace capstan::bench
