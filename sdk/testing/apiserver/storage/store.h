#pragma once

/// Stores the objects of all resources under one version sequence, and the history that serves
/// watches and lists of past versions. It has the role of etcd.
///
/// Threads: all methods may be called from any thread. Waits use the Runtime.

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

/// A stored object. Its metadata.resourceVersion is `version`.
class StoredObject {
 public:
  StoredObject(json::Value value, int64_t version);
  const json::Value& value() const { return value_; }
  int64_t version() const { return version_; }
  /// Returns the value as JSON. It is created at the first call.
  const std::string& text() const;
  /// Same as text() without apiVersion and kind, for items of lists.
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
  StoredObjectPtr object;    ///< for kDeleted the last state, with the deletion's resourceVersion
  StoredObjectPtr previous;  ///< null for kAdded
};

struct Snapshot {
  int64_t version = 0;
  std::vector<StoredObjectPtr> objects;  ///< sorted by "<namespace>/<name>"
};

class Store {
 public:
  /// `history` is the number of changes kept for each storage.
  Store(Runtime& runtime, size_t history);
  ~Store();

  int64_t Version() const;
  /// Returns the number of calls of Load.
  int64_t Epoch() const;
  /// Returns the oldest version at which a watch or list can begin.
  int64_t OldestVersion(const std::string& storage) const;
  /// Returns the newest object, or null.
  StoredObjectPtr Get(const std::string& storage, const NamespacedName& name) const;
  /// Returns all current objects; `namespace_` "" = all namespaces.
  Snapshot List(const std::string& storage, std::string_view namespace_) const;
  /// Returns the objects at `version`. Errors: Expired if the version is older than the history;
  /// Timeout ("Too large resource version") if it is newer than the current version.
  Result<Snapshot> ListAt(const std::string& storage, std::string_view namespace_,
                          int64_t version) const;

  /// Stores `value` if the newest object is still `expected` (null: no object exists), and sets its
  /// metadata.resourceVersion to the next version. Returns null if the newest object is another
  /// one.
  StoredObjectPtr Put(const std::string& storage, const NamespacedName& name,
                      const StoredObjectPtr& expected, json::Value value);
  /// Removes the object if it is still `expected`. Watchers receive `last` as its final state.
  /// Returns null if the newest object is another one.
  StoredObjectPtr Remove(const std::string& storage, const NamespacedName& name,
                         const StoredObjectPtr& expected, json::Value last);

  /// Returns the changes of `storage` after `version`, oldest first. If there are none, it waits
  /// until there is one, or until `deadline` or `stop`, and then returns none. `upto` receives the
  /// version up to which the result is complete. Errors: Expired if some of the changes are no
  /// longer in the history, or if `epoch` is not the current epoch.
  Result<std::vector<Change>> Changes(const std::string& storage, int64_t version,
                                      std::optional<MonotonicTime> deadline,
                                      const std::stop_token& stop, int64_t& upto,
                                      std::optional<int64_t> epoch = std::nullopt) const;
  /// Waits until the version of the newest write differs from `version` (after a Load it can be
  /// lower). Returns false if `stop` came first.
  bool AwaitChange(int64_t version, const std::stop_token& stop) const;
  /// Returns the storages that were ever used.
  std::vector<std::string> Storages() const;

  /// Drops the history up to `version` (default: all of it).
  void Compact(std::optional<int64_t> version = std::nullopt);

  /// Save returns all objects as JSON; Load replaces all objects with a saved state. Load drops the
  /// history, and open watches get Expired. A saved version lower than the current one behaves like
  /// a server restored from a backup.
  json::Value Save() const;
  Status Load(const json::Value& saved);

 private:
  struct Collection;  // one storage: its objects and history
  using Collections = std::map<std::string, std::unique_ptr<Collection>, std::less<>>;

  Collection& CollectionOf(const std::string& storage) const CAPSTAN_REQUIRES(mutex_);
  const Collection* FindCollection(const std::string& storage) const CAPSTAN_REQUIRES(mutex_);
  // Stores or removes an object, if the newest one is `expected`.
  StoredObjectPtr Write(Change::Type type, const std::string& storage, const NamespacedName& name,
                        const StoredObjectPtr& expected, json::Value value);
  // Returns the result of Changes, or nullopt if Changes must wait.
  std::optional<Result<std::vector<Change>>> ChangesNow(const Collection& collection,
                                                        int64_t version,
                                                        std::optional<int64_t> epoch,
                                                        int64_t& upto) const
      CAPSTAN_REQUIRES(mutex_);
  int64_t OldestVersionOf(const Collection* collection) const CAPSTAN_REQUIRES(mutex_);
  void NotifyAll(Condition* collection_changed) const;

  Runtime& runtime_;
  const size_t history_;
  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  int64_t version_ CAPSTAN_GUARDED_BY(mutex_) = 1;
  int64_t compacted_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // history dropped up to here
  int64_t epoch_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  // Collections are never removed, because waiters refer to them.
  mutable Collections collections_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::testing::server
