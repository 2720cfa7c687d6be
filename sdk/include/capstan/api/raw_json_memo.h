#pragma once

/// RawJsonMemo: remembers what was computed from carried parts of objects, e.g. the labels of a pod
/// template. Objects change often, and their templates seldom do, so that a part that is decoded
/// again usually shares the text of the one before.
///
///     RawJsonMemo<StringMap> labels([](const RawJson& part) {
///       return part.StringMapAt("/metadata/labels");
///     });
///     const StringMap labels_of_this = labels.Of(set.spec.template_);
///
/// It holds a bounded number of parts and their values, the latest ones.
///
/// Threads: all methods may be called from any thread. `compute` runs without a lock, and must
/// depend on nothing but its argument.

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <capstan/api/raw_json.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

template <class Value>
class RawJsonMemo {
 public:
  using Compute = Value (*)(const RawJson& part);

  explicit RawJsonMemo(Compute compute) : compute_(compute), rows_(kRows) {}

  Value Of(const RawJson& part) CAPSTAN_EXCLUDES(mutex_) {
    if (part.empty()) return compute_(part);
    const size_t row = part.TextIdentity() % kRows;
    {
      MutexLock lock(mutex_);
      for (const Entry& entry : rows_[row].entries) {
        if (entry.part.SharesTextWith(part)) return entry.value;
      }
    }
    Value value = compute_(part);
    Entry replaced{part, value};  // what it is swapped with is destroyed after the lock
    MutexLock lock(mutex_);
    Row& changed = rows_[row];
    std::swap(replaced, changed.entries[changed.next++ % changed.entries.size()]);
    return value;
  }

 private:
  static constexpr size_t kRows = 257;

  struct Entry {
    RawJson part;
    Value value = {};
  };
  struct Row {
    std::array<Entry, 4> entries;
    size_t next = 0;
  };

  const Compute compute_;
  Mutex mutex_;
  std::vector<Row> rows_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
