#include "own_writes.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <utility>

namespace capstan::deployment {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(30);

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool IsAsNew(const api::ObjectMeta& cached, const std::string& resource_version) {
  if (cached.resourceVersion == resource_version) return true;
  const auto seen = Number(cached.resourceVersion);
  const auto written = Number(resource_version);
  // Versions that are no numbers can not be compared: better go on than wait for nothing.
  return !seen || !written || *seen >= *written;
}

void OwnWrites::Record(const Uid& deployment, Write write) {
  const MonotonicTime now = clock_.Monotonic();
  write.deadline = now + kTimeout;
  MutexLock lock(mutex_);
  if (now >= next_sweep_) {  // Deployments that are gone never ask again
    std::erase_if(writes_, [&](const auto& entry) { return entry.second.back().deadline <= now; });
    next_sweep_ = now + kTimeout;
  }
  std::vector<Write>& writes = writes_[deployment];
  std::erase_if(writes, [&](const Write& earlier) {
    return earlier.is_deployment == write.is_deployment && earlier.uid == write.uid;
  });
  writes.push_back(std::move(write));
}

std::optional<Duration> OwnWrites::Pending(const Uid& deployment, const Look& look) {
  std::vector<Write> writes;
  {
    MutexLock lock(mutex_);
    const auto found = writes_.find(deployment);
    if (found == writes_.end()) return std::nullopt;
    writes = found->second;
  }
  const MonotonicTime now = clock_.Monotonic();
  std::erase_if(writes, [&](const Write& write) {
    if (write.deadline <= now) return true;
    const api::ObjectMeta* cached = look(write);
    if (!cached) return !write.is_creation;
    return cached->uid != write.uid || IsAsNew(*cached, write.resource_version);
  });
  std::optional<Duration> wait;
  for (const Write& write : writes)
    wait = std::max(wait.value_or(Duration()), write.deadline - now);

  MutexLock lock(mutex_);
  if (writes.empty()) {
    writes_.erase(deployment);
  } else {
    writes_[deployment] = std::move(writes);
  }
  return wait;
}

}  // namespace capstan::deployment
