#pragma once

/// StatusPublisher and PendingStatuses: statuses that a controller has calculated and not written
/// yet.
///
/// A status write is one of the dearest requests for an API server, so a controller delays such
/// writes while there are many (capstan/controller/write_budget.h). Another controller of the same
/// process that depends on the status does not wait for the write. The controller that calculates
/// the status publishes it before it writes or delays it, in each reconcile:
///
///     StatusPublisher<ReplicaSet> pending_ = context.NewStatusPublisher<ReplicaSet>();
///     pending_.Publish(set, status);
///
/// and the other one reads the object with its latest status:
///
///     PendingStatuses<ReplicaSet> pending_ = context.PendingStatusesOf<ReplicaSet>();
///     const auto latest = pending_.Latest(sets_.Get(name));
///
/// A publication or withdrawal that changes what Latest returns enqueues the owner in each
/// controller that Owns the type, like an update of the object.
///
/// A status is pending until one of these is true: the cache shows an equal status, the publisher
/// withdraws the status or is destroyed, or the object is deleted. A manager that loses its lease
/// destroys its controllers, and with them the publishers. Nothing is pending if the publishing
/// controller is switched off or runs in another process: Latest then returns what the cache shows.
///
/// Each informer has one store of pending statuses, which holds at most kMostPendingStatuses. A
/// further status is not published, and is seen when it has been written.
///
/// Source: the project's own. In kube-controller-manager, controllers see each other's statuses
/// only through the API server.
///
/// Threads: all methods may be called from any thread. Only one publisher may publish the statuses
/// of an object, from one thread at a time (a Reconciler does). No call blocks on I/O.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/cache/indexer.h>
#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

inline constexpr size_t kMostPendingStatuses = 10'000;

/// The core: the pending statuses of the objects of one informer, which owns it.
class CAPSTAN_EXPORT PendingStatusStore {
 public:
  /// A publication or withdrawal that handlers have not been notified of.
  struct Announcement {
    ObjectPtr before;     ///< the object in the cache; with its pending status, if withdrawn
    ObjectPtr after;      ///< the same with the pending status; as in the cache, if withdrawn
    Duration wake_after;  ///< the delay of the notification
  };

  /// `indexer` is the informer's. `announce` is called after each publication, without a lock.
  PendingStatusStore(const Indexer& indexer, std::function<void()> announce);
  ~PendingStatusStore();
  PendingStatusStore(const PendingStatusStore&) = delete;
  PendingStatusStore& operator=(const PendingStatusStore&) = delete;

  /// Returns an identity for Put and Remove.
  uint64_t NewPublisher();
  /// Returns the object as it was published, or null.
  ObjectPtr Find(const Uid& uid) const;
  /// Adds or replaces the pending status of an object: `after` is `before` with this status. Has no
  /// effect if the cache does not show an object with the UID, or the store is full.
  void Put(uint64_t publisher, const ObjectPtr& before, ObjectPtr after, Duration wake_after);
  /// `object` is what the cache shows. `announces` is set if its status may differ from the pending
  /// one, which others may have read.
  void Remove(uint64_t publisher, const ObjectPtr& object, bool announces);
  /// Removes what this publisher has published, and announces it.
  void RemoveAll(uint64_t publisher);
  /// Removes the status of an object that has been deleted.
  void Forget(const Uid& uid);
  /// Returns the publications and withdrawals since the last call; of an object only the last one.
  std::vector<Announcement> TakeAnnouncements();
  size_t size() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

/// Reads pending statuses. A cheap value, which must not outlive the PluginContext.
template <ApiObject T>
class PendingStatuses {
 public:
  using Ptr = std::shared_ptr<const T>;

  explicit PendingStatuses(const PendingStatusStore& store) : store_(&store) {}

  /// Returns `object`, which is from the cache, with its pending status; `object` itself if none is
  /// pending, or null.
  Ptr Latest(Ptr object) const {
    if (!object) return object;
    const ObjectPtr pending = store_->Find(object->metadata.uid);
    if (!pending) return object;
    const auto& status = static_cast<const T*>(pending.get())->status;
    if (Equal(object->status, status)) return object;
    auto latest = std::make_shared<T>(*object);
    latest->status = status;
    return latest;
  }

 private:
  const PendingStatusStore* store_;
};

/// Publishes statuses. Withdraws them all when it is destroyed. Must not outlive the PluginContext.
template <ApiObject T>
class StatusPublisher {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Status = decltype(T::status);

  explicit StatusPublisher(PendingStatusStore& store) : store_(store), id_(store.NewPublisher()) {}
  ~StatusPublisher() { store_.RemoveAll(id_); }
  StatusPublisher(const StatusPublisher&) = delete;
  StatusPublisher& operator=(const StatusPublisher&) = delete;

  /// Publishes the status calculated for `object`, which is from the cache. Withdraws the pending
  /// status if the object already has this status. A controller that writes the status at once
  /// gives a `wake_after` that is longer than the write usually takes: the owner is then woken by
  /// the written status, and by the pending one only if the write is slow.
  void Publish(const Ptr& object, const Status& status, Duration wake_after = {}) {
    if (Equal(object->status, status)) return Withdraw(object);
    const ObjectPtr pending = store_.Find(object->metadata.uid);
    if (pending && Equal(static_cast<const T*>(pending.get())->status, status)) return;
    auto after = std::make_shared<T>(*object);
    after->status = status;
    store_.Put(id_, object, std::move(after), wake_after);
  }
  /// `object` is from the cache. Announces its status, if another one was pending.
  void Withdraw(const Ptr& object) {
    const ObjectPtr pending = store_.Find(object->metadata.uid);
    if (!pending) return;
    const auto& status = static_cast<const T*>(pending.get())->status;
    store_.Remove(id_, object, !Equal(object->status, status));
  }

 private:
  PendingStatusStore& store_;
  const uint64_t id_;
};

}  // namespace capstan
