#pragma once

// A table of immutable, counted values of which the process keeps one copy each.
//
// The table's own references do not count: a value goes with its last handle. The count may only
// rise from zero, and only reach it, under the shard's lock, so a value that is found is alive.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <capstan/runtime/mutex.h>

namespace capstan::internal {

// Node has `Node* next`, `std::atomic<uint32_t> references` and `uint64_t hash`.
template <class Node>
class InternTable {
 public:
  // The node with this hash for which `equals` is true, or else what `make` gives (with one
  // reference, and of the same hash). The reference is the caller's.
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

  // Drops one reference; true when it was the last: the node is out of the table and the caller's.
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
    // Somebody may have interned the value meanwhile.
    if (node.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    Node** link = &Bucket(shard, node.hash);
    while (*link != &node) link = &(*link)->next;
    *link = node.next;
    --shard.count;
    return true;
  }

  // How many values there are.
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
