#pragma once

/// SharedInformer: one mirror of a resource for all who want it, with event handlers; and the
/// factory that gives each (type, scope) one informer. (client-go tools/cache SharedIndexInformer)
///
/// Handlers are called one after the other on the informer's own thread, after the store has
/// changed, so a lister sees at least what the handler is told. They must not block; a controller's
/// handlers only add keys to a queue. A handler that is added late is told of every object in the
/// store first. What a handler throws is logged, and the informer goes on.
///
/// The store keeps those fields of its objects that somebody asked for (Keep); their number only
/// grows. When an informer that runs is asked for more, it lists anew: until that is done it has
/// not synced, and handlers that were added since wait. Those that were there go on, and are not
/// told of objects that differ in the fields kept only.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <capstan/cache/indexer.h>
#include <capstan/cache/lister.h>
#include <capstan/cache/reflector.h>
#include <capstan/export.h>

namespace capstan {

/// Any member may be empty.
struct EventHandler {
  std::function<void(const ObjectPtr& object, bool initial_list)> on_add;
  /// Called for a resync too, with the same object twice.
  std::function<void(const ObjectPtr& before, const ObjectPtr& after)> on_update;
  /// With `final_state_unknown` the object is the last state known, maybe not the last there was.
  std::function<void(const ObjectPtr& object, bool final_state_unknown)> on_delete;
  /// The store is complete up to `resource_version`, and handlers have been told so far. It goes
  /// back when the server was restored to an older state. With `listed` a list, not a watch, has
  /// led there: what the store holds now is all there was, whatever was expected.
  std::function<void(const std::string& resource_version, bool listed)> on_progress = {};
};

class CAPSTAN_EXPORT SharedInformer {
 public:
  SharedInformer(const Client& client, const TypeDescriptor& type, InformerScope scope,
                 Runtime& runtime, Duration resync_period);
  ~SharedInformer();  ///< stops and joins

  /// Any time, from any thread (not from a handler). The handler is called for as long as the
  /// registration lives; once that is gone, it is not called any more, and no call is under way.
  [[nodiscard]] std::shared_ptr<void> AddEventHandler(EventHandler handler);
  Status AddIndex(std::string name, IndexFunction function);
  /// Keeps these fields of the objects, too. An informer that starts before anybody has asked for
  /// some keeps all.
  void Keep(const FieldSet& fields);
  /// Starts the threads; calling it again, or after Stop, changes nothing.
  void Start();
  /// Tells the threads to stop; returns at once.
  void RequestStop();
  /// Stops the threads and waits for them. Not from a handler.
  void Stop();
  /// True once the store holds a whole list with the fields that were asked for, and all handlers
  /// have been told of it.
  bool HasSynced() const;
  /// As HasSynced, with these fields, which were asked for. Handlers that were added since more was
  /// asked for do not count.
  bool HasSynced(const FieldSet& fields) const;
  /// Waits until HasSynced. False when `stop` was triggered, or the informer stopped, first.
  bool WaitForSync(const std::stop_token& stop);
  /// The resourceVersion up to which the store is complete and handlers have been told; "" before
  /// the first list.
  std::string LastSyncResourceVersion() const;

  const TypeDescriptor& type() const;
  const InformerScope& scope() const;
  std::shared_ptr<const Indexer> indexer() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Makes, starts and owns informers, one a (type, scope).
///
/// Threads: all methods may be called from any thread.
class CAPSTAN_EXPORT SharedInformerFactory {
 public:
  /// With a `default_namespace`, an informer of namespaced objects that is asked for in no
  /// namespace is one of that namespace.
  SharedInformerFactory(Client client, Runtime& runtime, Duration resync_period,
                        std::string default_namespace = {});
  /// A part of `parent`, which outlives it: it gives the parent's informers, of the parent's
  /// default namespace, and concerns those that it gave. It stops none when it goes.
  explicit SharedInformerFactory(SharedInformerFactory& parent);
  ~SharedInformerFactory();  ///< stops and joins all, but for a part

  SharedInformer& InformerFor(const TypeDescriptor& type, InformerScope scope = {});
  template <ApiObject T>
  SharedInformer& InformerFor(InformerScope scope = {}) {
    return InformerFor(DescriptorOf<T>(), std::move(scope));
  }
  template <ApiObject T>
  Lister<T> ListerFor(InformerScope scope = {}) {
    return Lister<T>(InformerFor<T>(std::move(scope)).indexer());
  }

  /// Whoever asks this factory for objects of `type` reads these fields, beside those of earlier
  /// calls. Without a call: all.
  void Reads(const TypeDescriptor& type, const FieldSet& fields);
  /// Tells the informers, which may run, what is read of their objects. Call it for all parts
  /// before the first one starts, so that nothing is listed twice.
  void ShareReads();
  /// As ShareReads, and starts the informers that are not running yet.
  void Start();
  void Stop();
  /// Waits until all informers have synced. False when `stop` was triggered, or one of them
  /// stopped, first.
  bool WaitForCacheSync(const std::stop_token& stop);
  /// Whether all informers hold a whole list with the fields that are read through this factory.
  bool HasSynced() const;
  /// The informers that were given so far.
  std::vector<SharedInformer*> Informers() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
