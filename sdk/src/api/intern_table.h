#pragma once

/// A table of immutable, reference-counted values. The process keeps one copy of each value.
///
/// The table itself holds no reference: a value is destroyed with its last handle. The count rises
/// from zero and falls to zero only under the shard's lock, so a value that is found is alive.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <capstan/runtime/mutex.h>

namespace capstan::internal {

/// Node has `Node* next`, `std::atomic<uint32_t> references` and `uint64_t hash`.
template <class Node>
class InternTable {
 public:
  /// Returns the node with this hash for which `equals` is true. If there is none, adds the node
  /// that `make` returns (with one reference and the same hash). The caller owns one reference.
  template <class Equals, class Make>
  Node* Intern(uint64_t hash, const Equals& equals, const Make& make) {
    Shard& shard = ShardOf(hash);
    MutexLock lock(shard.mutex);
    for (Node* node = Bucket(shard, hash); node; node = node->next) {
      if (node->hash == hash && equals(*node)) {
        node->references.fetch_add(1, std::memory_order_relaxed);
        return node;
      }
    }
    if (shard.count >= shard.buckets.size()) Grow(shard);
    Node* node = make();
    Node*& bucket = Bucket(shard, hash);
    node->next = bucket;
    bucket = node;
    ++shard.count;
    return node;
  }

  /// Drops one reference. Returns true if it was the last: the node has left the table, and the
  /// caller owns it.
  bool Release(Node& node) {
    uint32_t references = node.references.load(std::memory_order_relaxed);
    while (references > 1) {
      if (node.references.compare_exchange_weak(references, references - 1,
                                                std::memory_order_acq_rel)) {
        return false;
      }
    }
    Shard& shard = ShardOf(node.hash);
    MutexLock lock(shard.mutex);
    // Another thread may have interned the value meanwhile.
    if (node.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    Node** link = &Bucket(shard, node.hash);
    while (*link != &node) link = &(*link)->next;
    *link = node.next;
    --shard.count;
    return true;
  }

  /// The number of values.
  size_t size() {
    size_t count = 0;
    for (Shard& shard : shards_) {
      MutexLock lock(shard.mutex);
      count += shard.count;
    }
    return count;
  }

 private:
  struct alignas(64) Shard {
    Mutex mutex;
    std::vector<Node*> buckets CAPSTAN_GUARDED_BY(mutex) = std::vector<Node*>(16);
    size_t count CAPSTAN_GUARDED_BY(mutex) = 0;
  };

  // The shard comes from the top bits of the hash, the bucket from the low ones.
  Shard& ShardOf(uint64_t hash) { return shards_[hash >> 58]; }
  static Node*& Bucket(Shard& shard, uint64_t hash) CAPSTAN_REQUIRES(shard.mutex) {
    return shard.buckets[hash & (shard.buckets.size() - 1)];
  }
  static void Grow(Shard& shard) CAPSTAN_REQUIRES(shard.mutex) {
    std::vector<Node*> old(shard.buckets.size() * 2);
    old.swap(shard.buckets);
    for (Node* node : old) {
      while (node) {
        Node* next = node->next;
        Node*& bucket = Bucket(shard, node->hash);
        node->next = bucket;
        bucket = node;
        node = next;
      }
    }
  }

  std::array<Shard, 64> shards_;
};

}  // namespace capstan::internal
