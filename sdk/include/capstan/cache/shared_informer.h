#pragma once

/// SharedInformer: one mirror of a resource that all interested code shares, with event handlers.
/// The factory creates one informer per (type, scope). (client-go tools/cache SharedIndexInformer)
///
/// The informer calls handlers one after the other on its own thread, after the store has changed.
/// A lister therefore shows at least the state that the handler is notified of. Handlers must not
/// block; a controller's handlers only add keys to a queue. A handler that is added late is first
/// notified of every object in the store. An exception of a handler is logged, and the informer
/// continues.
///
/// The store keeps the requested fields of its objects (Keep). The set of fields only grows. When a
/// running informer gets a request for more fields, it relists. It has not synced until the relist
/// is complete, and handlers added since the request wait for it. Earlier handlers continue, and
/// are not notified of objects that differ only in the kept fields.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/cache/indexer.h>
#include <capstan/cache/lister.h>
#include <capstan/cache/pending_statuses.h>
#include <capstan/cache/reflector.h>
#include <capstan/export.h>

namespace capstan {

/// Any member may be empty.
struct EventHandler {
  std::function<void(const ObjectPtr& object, bool initial_list)> on_add;
  /// Also called for a resync, with the same object twice.
  std::function<void(const ObjectPtr& before, const ObjectPtr& after)> on_update;
  /// With `final_state_unknown`, `object` is the last known state, which may not be the final one.
  std::function<void(const ObjectPtr& object, bool final_state_unknown)> on_delete;
  /// The store is complete up to `resource_version`, and handlers have been notified of all changes
  /// up to it. It goes backwards when the server is restored to an older state. `listed`: a list,
  /// not a watch, reached this version, so the store holds every object, whatever the handler
  /// expected.
  std::function<void(const std::string& resource_version, bool listed)> on_progress = {};
  /// A controller of this process has calculated a new status for an object and has not written it
  /// yet (capstan/cache/pending_statuses.h). `after` is `before` with this status. The handler acts
  /// on it after `delay`: by then an update may have shown the status.
  std::function<void(const ObjectPtr& before, const ObjectPtr& after, Duration delay)>
      on_pending_status = {};
};

class CAPSTAN_EXPORT SharedInformer {
 public:
  SharedInformer(const Client& client, const TypeDescriptor& type, InformerScope scope,
                 Runtime& runtime, Duration resync_period);
  ~SharedInformer();  ///< stops and joins

  /// Adds a handler, at any time, from any thread except a handler's. It is notified of the stored
  /// objects once the store holds a complete list, and of each change after that, until the
  /// registration is destroyed. When the destructor of the registration returns, no call is in
  /// progress and no call follows.
  [[nodiscard]] std::shared_ptr<void> AddEventHandler(EventHandler handler);
  Status AddIndex(std::string name, IndexFunction function);
  /// Adds these fields to the kept fields. An informer keeps all fields if it starts before any
  /// call.
  void Keep(const FieldSet& fields);
  /// Starts the threads. Has no effect on a started or stopped informer.
  void Start();
  /// Requests the threads to stop and returns at once.
  void RequestStop();
  /// Stops the threads and waits for them. Must not be called from a handler.
  void Stop();
  /// True once the store holds a complete list with the requested fields, and all handlers have
  /// been notified of it.
  bool HasSynced() const;
  /// Like HasSynced, for `fields`, which have been requested. Ignores handlers that were added
  /// since a request for more fields.
  bool HasSynced(const FieldSet& fields) const;
  /// Waits until HasSynced. Returns false if `stop` is triggered, or the informer stops, first.
  bool WaitForSync(const std::stop_token& stop);
  /// The resourceVersion up to which the store is complete and handlers have been notified; ""
  /// before the first list.
  std::string LastSyncResourceVersion() const;

  const TypeDescriptor& type() const;
  const InformerScope& scope() const;
  std::shared_ptr<const Indexer> indexer() const;
  /// The statuses of this informer's objects that have not been written yet. Valid as long as the
  /// informer.
  PendingStatusStore& pending_statuses();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Creates, starts and owns informers, one per (type, scope).
///
/// Threads: all methods may be called from any thread.
class CAPSTAN_EXPORT SharedInformerFactory {
 public:
  /// If `default_namespace` is set, a request for an informer of namespaced objects without a
  /// namespace gets the informer of that namespace.
  SharedInformerFactory(Client client, Runtime& runtime, Duration resync_period,
                        std::string default_namespace = {});
  /// Creates a child of `parent`, which must outlive it. The child returns the parent's informers,
  /// with the parent's default namespace. Its methods apply to the informers that it has returned.
  /// Its destructor does not stop informers.
  explicit SharedInformerFactory(SharedInformerFactory& parent);
  ~SharedInformerFactory();  ///< stops and joins all informers; a child stops none

  SharedInformer& InformerFor(const TypeDescriptor& type, InformerScope scope = {});
  template <ApiObject T>
  SharedInformer& InformerFor(InformerScope scope = {}) {
    return InformerFor(DescriptorOf<T>(), std::move(scope));
  }
  template <ApiObject T>
  Lister<T> ListerFor(InformerScope scope = {}) {
    return Lister<T>(InformerFor<T>(std::move(scope)).indexer());
  }

  /// Adds `fields` to the fields that users of this factory read from objects of `type`. Without
  /// any call, they read all fields.
  void Reads(const TypeDescriptor& type, const FieldSet& fields);
  /// Passes the read fields to the informers, which may already run. Call it on all children before
  /// the first Start, so that no informer lists twice.
  void ShareReads();
  /// Calls ShareReads and starts the informers that do not run yet.
  void Start();
  void Stop();
  /// Waits until all informers have synced. Returns false if `stop` is triggered, or an informer
  /// stops, first.
  bool WaitForCacheSync(const std::stop_token& stop);
  /// Returns whether every informer holds a complete list with the fields that are read through
  /// this factory.
  bool HasSynced() const;
  /// The informers that this factory has returned so far.
  std::vector<SharedInformer*> Informers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
