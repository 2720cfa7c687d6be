#pragma once

// The objects, one version line for all, and the history that watches and old lists are served
// from: what etcd is to a kube-apiserver.
//
// Threads: all methods may be called from any thread; waits go through the Runtime.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "json/value.h"

namespace capstan::testing::server {

// An object as it was stored at `version`, which its metadata.resourceVersion names.
class StoredObject {
 public:
  StoredObject(json::Value value, int64_t version);
  const json::Value& value() const { return value_; }
  int64_t version() const { return version_; }
  // The value as JSON; made at the first call.
  const std::string& text() const;
  // The same without apiVersion and kind, as items of lists are.
  const std::string& item_text() const;

 private:
  const json::Value value_;
  const int64_t version_;
  mutable std::once_flag made_, item_made_;
  mutable std::string text_, item_text_;
};
using StoredObjectPtr = std::shared_ptr<const StoredObject>;

struct Change {
  enum class Type : uint8_t { kAdded, kModified, kDeleted };
  Type type = Type::kAdded;
  int64_t version = 0;
  NamespacedName name;
  StoredObjectPtr object;    // as it was when it went, with the deletion's resourceVersion
  StoredObjectPtr previous;  // null for kAdded
};

struct Snapshot {
  int64_t version = 0;
  std::vector<StoredObjectPtr> objects;  // in the order of "<namespace>/<name>"
};

class Store {
 public:
  // `history`: changes kept of each storage.
  Store(Runtime& runtime, size_t history);
  ~Store();

  int64_t Version() const;
  // Counts the calls of Load.
  int64_t Epoch() const;
  // The oldest version that a watch or a list of the past may begin at.
  int64_t OldestVersion(const std::string& storage) const;
  // The newest object, or null.
  StoredObjectPtr Get(const std::string& storage, const NamespacedName& name) const;
  // All objects now; `namespace_` "" = of all namespaces.
  Snapshot List(const std::string& storage, std::string_view namespace_) const;
  // As of `version`. Errors: Expired, when the history does not reach back; Timeout ("Too large
  // resource version"), when it is of the future.
  Result<Snapshot> ListAt(const std::string& storage, std::string_view namespace_,
                          int64_t version) const;

  // Stores `value` when the newest object is still `expected` (null: none exists), with the next
  // version as its metadata.resourceVersion. Null when it is not.
  StoredObjectPtr Put(const std::string& storage, const NamespacedName& name,
                      const StoredObjectPtr& expected, json::Value value);
  // Removes it when it is still `expected`. What watchers see of it last is `last`.
  StoredObjectPtr Remove(const std::string& storage, const NamespacedName& name,
                         const StoredObjectPtr& expected, json::Value last);

  // The changes of `storage` after `version`, oldest first; waits for one until `deadline` or
  // `stop`, then empty. Errors: Expired, when some of them are forgotten, or when `epoch` has
  // passed. `upto` is set to the version up to which the answer is complete.
  Result<std::vector<Change>> Changes(const std::string& storage, int64_t version,
                                      std::optional<MonotonicTime> deadline,
                                      const std::stop_token& stop, int64_t& upto,
                                      std::optional<int64_t> epoch = std::nullopt) const;
  // Waits until the version of the newest write is another than `version` (after a Load it may be
  // lower). False when `stop` came first.
  bool AwaitChange(int64_t version, const std::stop_token& stop) const;
  // Those that were ever used.
  std::vector<std::string> Storages() const;

  // Forgets the history up to `version` (default: all of it).
  void Compact(std::optional<int64_t> version = std::nullopt);

  // Everything, as JSON, and back. Load forgets the history; watches that are open get Expired.
  // With a version lower than the present one it is a server restored from a backup.
  json::Value Save() const;
  Status Load(const json::Value& saved);

 private:
  struct Shelf;  // one storage
  using Shelves = std::map<std::string, std::unique_ptr<Shelf>, std::less<>>;

  Shelf& ShelfOf(const std::string& storage) const CAPSTAN_REQUIRES(mutex_);
  const Shelf* FindShelf(const std::string& storage) const CAPSTAN_REQUIRES(mutex_);
  // What Changes can answer without waiting.
  std::optional<Result<std::vector<Change>>> ChangesNow(const Shelf& shelf, int64_t version,
                                                        std::optional<int64_t> epoch,
                                                        int64_t& upto) const
      CAPSTAN_REQUIRES(mutex_);
  int64_t OldestVersionOf(const Shelf* shelf) const CAPSTAN_REQUIRES(mutex_);
  void NotifyAll(Condition* shelf_changed) const;

  Runtime& runtime_;
  const size_t history_;
  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  int64_t version_ CAPSTAN_GUARDED_BY(mutex_) = 1;
  int64_t compacted_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // what Compact and Load forgot
  int64_t epoch_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  // Shelves are never removed: waiters refer to them.
  mutable Shelves shelves_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::testing::server
