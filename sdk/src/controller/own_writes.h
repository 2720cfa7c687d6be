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
// Threads: all methods may be called from any thread.

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/queue/work_queue.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

class OwnWrites final : public WriteObserver {
 public:
  // The client is for live reads.
  explicit OwnWrites(const Client& client) : client_(client) {}

  // Writes of this informer's type count from now on. `reconciled`: for the object itself too.
  void Follow(SharedInformer& informer, bool reconciled);

  // Whether the caches show all that was written for `owner`. If not, `queue` is given `request`
  // once they do. The error is that of a live read.
  Result<bool> CaughtUp(const Uid& owner, const NamespacedName& request,
                        const std::shared_ptr<WorkQueue>& queue);

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

  void Progress(Source& source, const std::string& resource_version, bool listed);
  void Changed(Source& source, const ObjectPtr& before, const ObjectPtr& after);

  const Client client_;
  mutable Mutex mutex_;
  std::list<Source> sources_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string_view> reconciled_kinds_ CAPSTAN_GUARDED_BY(mutex_);
  std::unordered_map<Uid, Owner> owners_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
