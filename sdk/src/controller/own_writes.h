#pragma once

/// OwnWrites: tracks whether the caches show what the controllers of a plugin have written. A
/// reconcile on older state would repeat writes or run into conflicts.
///
/// A write affects the object itself, if its type is reconciled, and its controllers (by owner
/// reference) before and after the write. The next reconcile of each of them waits until:
/// - creations and patches: the store has reached the resourceVersion of the response
///   (resourceVersions can be compared:
///   https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions);
/// - deletions: the store shows the object with this UID as deleted or being deleted;
/// - lost writes (no response, a timeout, a 5xx): a live read shows the outcome, and the store has
///   reached its version. The same applies to resourceVersions that are not numbers.
///
/// No wait has a timeout: an informer that lists again is up to date. A deletion that the list does
/// not show is treated as a lost write, because a server that was restored from a backup brings
/// objects back.
///
/// Confirmation: another manager may have written until just now, and the caches may not show its
/// writes yet. Before the first creation or deletion in a namespace, its objects of that type are
/// read live, once for all owners. An owner with live objects that its cache does not show waits
/// for them as for its own writes. The owner itself is also read live before the first creation,
/// deletion or patch of a child: the caches of two types lag independently, and the owner may want
/// a different number of children by now. A running reconcile may have read the caches before the
/// live read. What it saw of its owner and its children is compared as well. If that was too old,
/// its write is refused with Canceled, and the object is reconciled again.
///
/// None of this is read for a type whose cache has applied the version that LiveVersions found: it
/// shows what the live reads would. A reconcile that began before is refused its write, too.
///
/// Threads: all methods may be called from any thread.

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/live_versions.h>
#include <capstan/queue/work_queue.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

class OwnWrites final : public WriteObserver {
 public:
  /// `client` is for live reads. Callers wait for one another's live reads in `confirming`. If it
  /// is null, nothing is confirmed. `live_versions` may be null: then all is read live.
  explicit OwnWrites(const Client& client, Runtime* confirming = nullptr,
                     LiveVersions* live_versions = nullptr)
      : client_(client), confirming_(confirming), live_versions_(live_versions) {}

  /// Tracks writes of this informer's type from now on. `reconciled`: for the object itself too.
  void Follow(SharedInformer& informer, bool reconciled);

  /// The controllers start: no other manager writes from now on.
  void LearnLiveVersions();

  /// Whether the caches show all writes for `owner`. If not, `request` is added to `queue` once
  /// they do. Returns the error of a live read.
  Result<bool> CaughtUp(const Uid& owner, const NamespacedName& request,
                        const std::shared_ptr<WorkQueue>& queue);

  /// One reconcile of an object, from before the call of CaughtUp to its end.
  class Sync {
   public:
    Sync(OwnWrites& writes, const Uid& owner, const NamespacedName& request)
        : writes_(writes), owner_(owner) {
      writes_.Begin(owner_, request);
    }
    ~Sync() { writes_.End(owner_); }
    Sync(const Sync&) = delete;
    Sync& operator=(const Sync&) = delete;

    /// Whether a write was refused because the cache was too old.
    bool HeldBack() const { return writes_.HeldBack(owner_); }

   private:
    OwnWrites& writes_;
    const Uid owner_;
  };

  Status MayWrite(const TypeDescriptor& type, const NamespacedName& name,
                  const ObjectPtr& sent) override;
  Status MayPatch(const TypeDescriptor& type, const NamespacedName& name) override;
  void Written(const TypeDescriptor& type, const ObjectPtr& object) override;
  void Lost(const TypeDescriptor& type, const NamespacedName& name, const ObjectPtr& sent) override;
  void Deleting(const TypeDescriptor& type, const NamespacedName& name) override;
  void Deleted(const TypeDescriptor& type, const NamespacedName& name,
               const Status& outcome) override;

 private:
  using Owners = std::vector<Uid>;
  struct Tombstone {
    NamespacedName name;
    Owners owners;
  };
  // A live read before the first write in a namespace.
  struct Reading {
    explicit Reading(Runtime& runtime) : ended(runtime.NewCondition()) {}
    const std::unique_ptr<Condition> ended;
    std::optional<Status> outcome;
  };
  struct Confirmation {
    std::shared_ptr<Reading> under_way;
    uint64_t at = 0;             // in ticks_; 0: not confirmed yet
    uint64_t newest_orphan = 0;  // highest resourceVersion of the objects to adopt
  };
  struct Source {
    explicit Source(SharedInformer& i) : informer(i), store(i.indexer()) {}

    const api::ObjectMeta& MetadataOf(const ObjectPtr& object) const {
      return capstan::MetadataOf(informer.type(), object.get());
    }
    bool Covers(const TypeDescriptor& type, const api::ObjectMeta& metadata) const;
    // The object of this name in the store; null if there is none or it is being deleted.
    ObjectPtr Living(const NamespacedName& name) const;

    SharedInformer& informer;
    const std::shared_ptr<const Indexer> store;
    std::shared_ptr<void> registration;
    std::optional<Selector> labels;
    // Guarded by the lock of OwnWrites.
    bool reconciled = false;
    uint64_t applied = 0;
    std::multimap<uint64_t, Uid> marks;  // the resourceVersions waited for, and by whom
    std::unordered_map<Uid, Tombstone> tombstones;
    std::unordered_map<Uid, Owners> adopted;  // new owners until the store shows them
    std::map<std::string, Confirmation, std::less<>> confirmations;  // by namespace
    uint64_t current_since = 0;  // in ticks_: the store had the needed version; 0: not yet
  };
  // What a reconcile has seen in the caches: at least what they held when it began.
  struct Syncing {
    struct Seen {
      uint64_t applied = 0;
      std::vector<ObjectPtr> children;
      std::vector<std::string> confirmed;  // namespaces
    };
    size_t count = 0;  // running reconciles of this object, by several controllers
    uint64_t begun = 0;
    bool held_back = false;
    Source* primary = nullptr;  // of the owner, which is `shown`; null if it is confirmed
    ObjectPtr shown;
    std::map<const Source*, Seen> seen;  // for sources not confirmed when it began
  };
  // The live objects of a type in a namespace.
  struct Live {
    std::unordered_set<Uid> uids;
    std::unordered_set<std::string> unread;  // names of objects that do not decode
    std::optional<uint64_t> version;
  };
  // A write to this object whose outcome is unknown. An empty name stands for a creation in the
  // namespace.
  struct LostWrite {
    Source* source;
    NamespacedName name;
    friend bool operator==(const LostWrite&, const LostWrite&) = default;
  };
  struct Waiter {
    std::shared_ptr<WorkQueue> queue;
    NamespacedName request;
    friend bool operator==(const Waiter&, const Waiter&) = default;
  };
  using Waiters = std::vector<Waiter>;
  struct Owner {
    size_t pending = 0;  // number of marks and tombstones
    std::vector<LostWrite> lost;
    Waiters waiters;
  };

  Owners OwnersOf(const Source& source, const ObjectPtr& object) const CAPSTAN_REQUIRES(mutex_);
  void Mark(Source& source, const ObjectPtr& object, const Owners& owners) CAPSTAN_REQUIRES(mutex_);
  void AddTombstone(Source& source, const ObjectPtr& object, Waiters& woken)
      CAPSTAN_REQUIRES(mutex_);
  void NoteLost(Source& source, const NamespacedName& name, const Owners& owners)
      CAPSTAN_REQUIRES(mutex_);
  static void TakeWaiters(Owner& owner, Waiters& woken);
  // Removes one mark or tombstone of `owner`.
  void Settle(const Uid& owner, Waiters& woken) CAPSTAN_REQUIRES(mutex_);
  void SettleTombstone(Source& source, const Uid& object, Waiters& woken) CAPSTAN_REQUIRES(mutex_);

  Status Resolve(const Uid& owner, const LostWrite& lost);
  Status ResolveObject(const Uid& owner, Source& source, const NamespacedName& name);
  Status ResolveNamespace(const Uid& owner, Source& source, const std::string& namespace_);
  void FoundLive(const Uid& owner, Source& source, const ObjectPtr& live);
  // Passes each object to `visit` without the lock. Live::uids holds those for which it returns
  // true.
  Result<Live> ReadLive(const Source& source, const std::string& namespace_,
                        const std::function<bool(const ObjectPtr&)>& visit);
  // Adds tombstones for those of `stored` that no longer exist.
  void AddTombstonesForMissing(Source& source, const std::vector<ObjectPtr>& stored,
                               const std::string& namespace_, const Live& live, Waiters& woken)
      CAPSTAN_REQUIRES(mutex_);

  void Begin(const Uid& owner, const NamespacedName& request);
  void End(const Uid& owner);
  bool HeldBack(const Uid& owner) const;
  static std::vector<ObjectPtr> ChildrenOf(const Uid& owner, const Source& source);
  // Whether the store shows all that was written before the controllers started.
  bool IsCurrent(Source& source) CAPSTAN_REQUIRES(mutex_);
  Status Confirm(Source& source, const std::string& namespace_);
  Status ConfirmOwner(const Uid& owner);
  Status CompareWithLive(Source& source, const std::string& namespace_, uint64_t& newest_orphan);
  // Whether the cache should show `live`.
  bool CompareWithLive(Source& source, const ObjectPtr& live, uint64_t& newest_orphan)
      CAPSTAN_REQUIRES(mutex_);
  bool IsConfirmed(Source& source, const Uid& owner, const std::string& namespace_)
      CAPSTAN_REQUIRES(mutex_);
  void AwaitOrphans(const Uid& owner, const std::string& namespace_) CAPSTAN_REQUIRES(mutex_);

  void Progress(Source& source, const std::string& resource_version, bool listed);
  void Changed(Source& source, const ObjectPtr& before, const ObjectPtr& after);

  const Client client_;
  Runtime* const confirming_;
  LiveVersions* const live_versions_;
  mutable Mutex mutex_;
  std::list<Source> sources_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string_view> reconciled_kinds_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_map<Uid, Owner> owners_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_map<Uid, Syncing> syncing_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_set<Uid> confirmed_owners_ CAPSTAN_GUARDED_BY(mutex_);
  uint64_t ticks_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // a logical clock: orders two moments
};

}  // namespace capstan
