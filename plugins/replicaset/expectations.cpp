#include "expectations.h"

#include <algorithm>
#include <chrono>

namespace capstan::replicaset {
namespace {

constexpr Duration kTimeout = std::chrono::minutes(5);

}  // namespace

void Expectations::ExpectCreations(const Uid& set, int64_t count) {
  MutexLock lock(mutex_);
  expected_[set] = {.creations = count, .deletions = {}, .deadline = clock_.Monotonic() + kTimeout};
}

void Expectations::ExpectDeletions(const Uid& set, const std::vector<Uid>& pods) {
  MutexLock lock(mutex_);
  expected_[set] = {.creations = 0,
                    .deletions = {pods.begin(), pods.end()},
                    .deadline = clock_.Monotonic() + kTimeout};
}

bool Expectations::CreationObserved(const Uid& set, int64_t count) {
  MutexLock lock(mutex_);
  const auto found = expected_.find(set);
  if (found == expected_.end() || found->second.creations <= 0) return false;
  found->second.creations -= count;
  if (Fulfilled(found->second)) expected_.erase(found);
  return true;
}

bool Expectations::DeletionObserved(const Uid& set, const Uid& pod) {
  MutexLock lock(mutex_);
  const auto found = expected_.find(set);
  if (found == expected_.end() || found->second.deletions.erase(pod) == 0) return false;
  if (Fulfilled(found->second)) expected_.erase(found);
  return true;
}

void Expectations::ExpectNoLongerThan(const Uid& set, Duration patience) {
  MutexLock lock(mutex_);
  const auto found = expected_.find(set);
  if (found == expected_.end()) return;
  found->second.deadline = std::min(found->second.deadline, clock_.Monotonic() + patience);
}

std::optional<Duration> Expectations::Pending(const Uid& set) const {
  MutexLock lock(mutex_);
  const auto found = expected_.find(set);
  if (found == expected_.end() || Fulfilled(found->second)) return std::nullopt;
  const Duration left = found->second.deadline - clock_.Monotonic();
  if (left <= Duration::zero()) return std::nullopt;
  return left;
}

void Expectations::Forget(const Uid& set) {
  MutexLock lock(mutex_);
  expected_.erase(set);
}

}  // namespace capstan::replicaset
