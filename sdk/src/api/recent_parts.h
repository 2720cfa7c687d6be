#pragma once

/// RecentParts: the values that were made of the latest carried texts. Most events of an object
/// bring its pod template again as it was; it need not be packed again, and what is remembered of
/// it (capstan/api/raw_json_memo.h) stays valid.
///
/// Threads: all methods may be called from any thread.

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/raw_json.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/status.h>

namespace capstan::internal {

class RecentParts {
 public:
  RecentParts() : rows_(kRows) {}

  /// Returns the value that `make` returned for equal events, or calls it. Errors are not kept.
  Result<RawJson> Get(std::string_view events, const std::function<Result<RawJson>()>& make)
      CAPSTAN_EXCLUDES(mutex_);

 private:
  static constexpr size_t kRows = 257;

  struct Entry {
    std::string digest;
    RawJson value;
  };
  struct Row {
    std::array<Entry, 4> entries;
    size_t next = 0;
  };

  Mutex mutex_;
  std::vector<Row> rows_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::internal
