#pragma once

// The states of a small cluster with one Deployment, reduced to the inputs of its controllers'
// decisions. Times, reported-only counts and names are omitted. Revisions keep only their order.
// Pods differ only by readiness. All members are bytes, so states can be compared and hashed as
// such.

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace capstan::model {

inline constexpr size_t kMaxSets = 3;  // one per image

struct DeploymentState {
  uint8_t image = 0;
  uint8_t replicas = 0;
  uint8_t paused = 0;
  uint8_t rolls_back = 0;  // has the annotation that requests a rollback to the last revision
  uint8_t complete = 0;    // according to the status
  friend bool operator==(const DeploymentState&, const DeploymentState&) = default;
};

struct SetState {
  uint8_t image = 0;
  uint8_t replicas = 0;
  uint8_t desired = 0;  // the annotations
  uint8_t max = 0;
  uint8_t revision = 0;
  uint8_t observed = 0;  // the status is for the current generation
  uint8_t status_replicas = 0;
  uint8_t status_available = 0;
  friend bool operator==(const SetState&, const SetState&) = default;
};

// Oldest first.
struct SetStates {
  uint8_t count = 0;
  std::array<SetState, kMaxSets> sets;

  SetState* begin() { return sets.data(); }
  SetState* end() { return sets.data() + count; }
  const SetState* begin() const { return sets.data(); }
  const SetState* end() const { return sets.data() + count; }
  // Null when there is no ReplicaSet of this image.
  const SetState* Of(uint8_t image) const {
    for (const SetState& set : *this) {
      if (set.image == image) return &set;
    }
    return nullptr;
  }
  SetState* Of(uint8_t image) {
    return const_cast<SetState*>(static_cast<const SetStates*>(this)->Of(image));
  }
  void Add(const SetState& set) { sets[count++] = set; }
  void Remove(uint8_t image) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
      if (sets[i].image != image) sets[kept++] = sets[i];
    }
    while (count > kept) sets[--count] = {};
  }
  friend bool operator==(const SetStates&, const SetStates&) = default;
};

struct PodState {
  uint8_t unready = 0;
  uint8_t ready = 0;
  uint8_t terminating = 0;
  friend bool operator==(const PodState&, const PodState&) = default;
};

struct State {
  DeploymentState deployment;
  SetStates sets;
  std::array<PodState, kMaxSets> pods;  // by image
  // The content of the controllers' cache. Pods are visible at once.
  DeploymentState seen_deployment;
  SetStates seen_sets;
  // The Deployment controller has made writes that the cache does not show yet.
  uint8_t awaits_deployment = 0;
  uint8_t awaits_sets = 0;

  friend bool operator==(const State&, const State&) = default;
  int Active(uint8_t image) const { return pods[image].unready + pods[image].ready; }
  std::string ToString() const;
};
static_assert(std::has_unique_object_representations_v<State>);

struct StateHash {
  size_t operator()(const State& state) const {
    std::array<char, (sizeof(State) + 7) / 8 * 8> bytes{};
    std::memcpy(bytes.data(), &state, sizeof state);
    uint64_t hash = 0;
    for (size_t i = 0; i < bytes.size(); i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

// The size of the cluster and the possible events.
struct Bounds {
  const char* name = "";
  uint8_t images = 2;
  uint8_t replicas = 2;  // the Deployment has between 0 and this many
  bool recreates = false;
  uint8_t max_surge = 1;
  uint8_t max_unavailable = 0;
  int history_limit = 10;
  bool scales = true;  // by the user; otherwise spec.replicas is always `replicas`
  bool pauses = false;
  bool rolls_back = false;
  bool pods_fail = false;  // pods become unready, finish, or are deleted by others
  bool restarts = false;   // the controllers restart after any of their writes
  bool lags = false;       // the cache lags
};

}  // namespace capstan::model
