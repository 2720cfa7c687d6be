#include "api/recent_parts.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/tls/sha256.h"

namespace capstan::internal {

Result<RawJson> RecentParts::Get(std::string_view events,
                                 const std::function<Result<RawJson>()>& make) {
  std::string digest = tls::Sha256(events);
  uint64_t number = 0;
  std::memcpy(&number, digest.data(), sizeof(number));
  const size_t row = number % kRows;
  {
    MutexLock lock(mutex_);
    for (const Entry& entry : rows_[row].entries) {
      if (entry.digest == digest) return entry.value;
    }
  }
  Result<RawJson> value = make();
  if (!value) return value;
  Entry replaced{std::move(digest), *value};  // what it is swapped with is destroyed after the lock
  MutexLock lock(mutex_);
  Row& changed = rows_[row];
  std::swap(replaced, changed.entries[changed.next++ % changed.entries.size()]);
  return value;
}

}  // namespace capstan::internal
