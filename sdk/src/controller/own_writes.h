#pragma once

// OwnWrites: whether the caches show what a plugin's controllers have written. A reconcile that
// worked on older states would do things twice, or run into conflicts.
//
// A write concerns the object itself, if it is of a type that is reconciled, and its controller
// (the owner reference), the one before and the one after it. Their next reconcile waits until:
// - creations and patches: the store is as new as the answer's resourceVersion (they can be
//   compared: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions);
// - deletions: the store shows the object of this UID as deleted or being deleted;
// - what was lost (no answer, a time-out, a 5xx): a live read says what there is, and the store is
//   as new as that. The same goes for resourceVersions that are no numbers.
// Nothing is given up by the clock: an informer that comes back with a list is up to date. A
// deletion that its list does not show is looked at like a lost one, as a server that was restored
// from a backup brings objects back.
//
// Confirming: another manager may have written until just now, which the caches need not show yet.
// Before the first creation or deletion in a namespace its objects of that type are read live, once
// for all owners; who has something there that its cache does not show is made to wait for it as
// for a write of its own. So is the owner before the first creation, deletion or patch of a child:
// the caches of two types do not lag in step, and it may want another number of children by now. A
// reconcile under way may have looked at the caches before that: what it saw of its owner and of
// its children is compared too, and when it was too old, its write is refused with a Canceled, and
// it comes again.
//
// Threads: all methods may be called from any thread.

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
#include <capstan/queue/work_queue.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

class OwnWrites final : public WriteObserver {
 public:
  // The client is for live reads. `confirming` is where they wait for one another; null: nothing is
  // confirmed.
  explicit OwnWrites(const Client& client, Runtime* confirming = nullptr)
      : client_(client), confirming_(confirming) {}

  // Writes of this informer's type count from now on. `reconciled`: for the object itself too.
  void Follow(SharedInformer& informer, bool reconciled);

  // Whether the caches show all that was written for `owner`. If not, `queue` is given `request`
  // once they do. The error is that of a live read.
  Result<bool> CaughtUp(const Uid& owner, const NamespacedName& request,
                        const std::shared_ptr<WorkQueue>& queue);

  // A reconcile of an object, from before CaughtUp is asked to its end.
  class Sync {
   public:
    Sync(OwnWrites& writes, const Uid& owner, const NamespacedName& request)
        : writes_(writes), owner_(owner) {
      writes_.Begin(owner_, request);
    }
    ~Sync() { writes_.End(owner_); }
    Sync(const Sync&) = delete;
    Sync& operator=(const Sync&) = delete;

    // Whether a write was refused because the cache was too old.
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
  // A live read for the first write in a namespace.
  struct Reading {
    explicit Reading(Runtime& runtime) : ended(runtime.NewCondition()) {}
    const std::unique_ptr<Condition> ended;
    std::optional<Status> outcome;
  };
  struct Confirmation {
    std::shared_ptr<Reading> under_way;
    uint64_t at = 0;             // by ticks_; 0: there was none yet
    uint64_t newest_orphan = 0;  // the highest resourceVersion of what an owner might adopt
  };
  struct Source {
    explicit Source(SharedInformer& i) : informer(i), store(i.indexer()) {}

    const api::ObjectMeta& MetadataOf(const ObjectPtr& object) const {
      return capstan::MetadataOf(informer.type(), object.get());
    }
    bool Covers(const TypeDescriptor& type, const api::ObjectMeta& metadata) const;
    // The object of this name that the store shows, if it is not being deleted.
    ObjectPtr Living(const NamespacedName& name) const;

    SharedInformer& informer;
    const std::shared_ptr<const Indexer> store;
    std::shared_ptr<void> registration;
    std::optional<Selector> labels;
    // Under the lock of OwnWrites.
    bool reconciled = false;
    uint64_t applied = 0;
    std::multimap<uint64_t, Uid> marks;  // which resourceVersion is waited for, by whom
    std::unordered_map<Uid, Tombstone> tombstones;
    std::unordered_map<Uid, Owners> adopted;  // by whom, as long as the store does not show it
    std::map<std::string, Confirmation, std::less<>> confirmations;  // by namespace
  };
  // What a reconcile can have seen in the caches, at least: what they held as it began.
  struct Syncing {
    struct Seen {
      uint64_t applied = 0;
      std::vector<ObjectPtr> children;
      std::vector<std::string> confirmed;  // namespaces
    };
    size_t count = 0;  // of reconciles of this object, by several controllers
    uint64_t begun = 0;
    bool held_back = false;
    Source* primary = nullptr;  // of the owner, and the owner; null when it is confirmed
    ObjectPtr shown;
    std::map<const Source*, Seen> seen;  // where not all was read before
  };
  // What is really there of a type and namespace.
  struct Live {
    std::unordered_set<Uid> uids;
    std::unordered_set<std::string> unread;  // names of what does not decode
    std::optional<uint64_t> version;
  };
  // What became of a write of this object is not known; without a name: of a creation there.
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
    size_t pending = 0;  // marks and tombstones
    std::vector<LostWrite> lost;
    Waiters waiters;
  };

  static std::optional<uint64_t> Number(std::string_view version);
  Owners OwnersOf(const Source& source, const ObjectPtr& object) const CAPSTAN_REQUIRES(mutex_);
  void Mark(Source& source, const ObjectPtr& object, const Owners& owners) CAPSTAN_REQUIRES(mutex_);
  void Bury(Source& source, const ObjectPtr& object, Waiters& woken) CAPSTAN_REQUIRES(mutex_);
  void NoteLost(Source& source, const NamespacedName& name, const Owners& owners)
      CAPSTAN_REQUIRES(mutex_);
  static void TakeWaiters(Owner& owner, Waiters& woken);
  // One mark or tombstone less.
  void Settle(const Uid& owner, Waiters& woken) CAPSTAN_REQUIRES(mutex_);
  void SettleTombstone(Source& source, const Uid& object, Waiters& woken) CAPSTAN_REQUIRES(mutex_);

  Status Resolve(const Uid& owner, const LostWrite& lost);
  Status ResolveObject(const Uid& owner, Source& source, const NamespacedName& name);
  Status ResolveNamespace(const Uid& owner, Source& source, const std::string& namespace_);
  void FoundLive(const Uid& owner, Source& source, const ObjectPtr& live);
  // Gives each object to `visit`, without the lock; what that says true of is in Live::uids.
  Result<Live> ReadLive(const Source& source, const std::string& namespace_,
                        const std::function<bool(const ObjectPtr&)>& visit);
  // Those of `stored` that are not there any more.
  void BuryTheGone(Source& source, const std::vector<ObjectPtr>& stored,
                   const std::string& namespace_, const Live& live, Waiters& woken)
      CAPSTAN_REQUIRES(mutex_);

  void Begin(const Uid& owner, const NamespacedName& request);
  void End(const Uid& owner);
  bool HeldBack(const Uid& owner) const;
  static std::vector<ObjectPtr> ChildrenOf(const Uid& owner, const Source& source);
  Status Confirm(Source& source, const std::string& namespace_);
  Status ConfirmOwner(const Uid& owner);
  Status CompareWithLive(Source& source, const std::string& namespace_, uint64_t& newest_orphan);
  // Whether it is one that the cache should show.
  bool CompareWithLive(Source& source, const ObjectPtr& live, uint64_t& newest_orphan)
      CAPSTAN_REQUIRES(mutex_);
  bool IsConfirmed(Source& source, const Uid& owner, const std::string& namespace_)
      CAPSTAN_REQUIRES(mutex_);
  void AwaitOrphans(const Uid& owner, const std::string& namespace_) CAPSTAN_REQUIRES(mutex_);

  void Progress(Source& source, const std::string& resource_version, bool listed);
  void Changed(Source& source, const ObjectPtr& before, const ObjectPtr& after);

  const Client client_;
  Runtime* const confirming_;
  mutable Mutex mutex_;
  std::list<Source> sources_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string_view> reconciled_kinds_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_map<Uid, Owner> owners_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_map<Uid, Syncing> syncing_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_set<Uid> confirmed_owners_ CAPSTAN_GUARDED_BY(mutex_);
  uint64_t ticks_ CAPSTAN_GUARDED_BY(mutex_) = 0;  // tells which of two moments was first
};

}  // namespace capstan
