#pragma once

/// Controller and its builder: which objects wake which requests, and how many workers serve them.
///
///     return context.NewController("replicaset")
///         .For<ReplicaSet>()
///         .Owns<Pod>()
///         .Workers(5)
///         .Run<ReplicaSetReconciler>();

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/cache/shared_informer.h>
#include <capstan/controller/reconciler.h>
#include <capstan/export.h>
#include <capstan/queue/work_queue.h>

namespace capstan {

class OwnWrites;
class PluginContext;

/// What a controller is at.
struct ControllerState {
  bool started = false;  ///< the caches are filled, and the workers run
  int workers = 0;
  int busy = 0;
  size_t queued = 0;
  /// While every worker is in a reconcile: since when that is so, and nothing has begun or ended.
  std::optional<MonotonicTime> all_busy_since = {};
  /// Of the last reconcile that failed, "" when none has.
  std::string last_error = {};
  WallTime last_error_time = {};
};

/// The label that says which of several managers, each with an instance id of its own, an object is
/// for.
inline constexpr std::string_view kInstanceIdLabel = "capstan.dev/instance-id";

/// A queue, its workers and a reconciler.
///
/// A reconcile that fails is tried again with the queue's backoff, for ever, and not before the
/// error's Retry-After has passed; one that fails for good (Status::IsTerminal) waits for a change.
///
/// Read your own writes: after a reconcile that has created, patched or deleted something through
/// PluginContext::client, the next one for this object starts when the caches show it, of all types
/// given to For, Owns and Watches. The catch-up itself wakes the object. What became of a write
/// that was not answered is first read from the server.
///
/// With an instance id only those objects are reconciled whose kInstanceIdLabel is equal to it;
/// with an empty one those without the label. A key whose object is gone from the cache is
/// reconciled in any case. A child needs the label too where it has a controller of its own: a
/// ReplicaSet has it by the pod template of its Deployment.
///
/// Metrics: capstan_reconcile_total{controller,result},
/// capstan_reconcile_duration_seconds{controller} and capstan_active_workers{controller}, beside
/// those of the queue.
///
/// Threads: Start from one thread; the others from any.
class CAPSTAN_EXPORT Controller {
 public:
  /// An informer, and what its events do from Start on: before that a controller that stands by
  /// would only gather keys. The handler may be empty.
  struct Source {
    SharedInformer* informer = nullptr;
    EventHandler handler = {};
  };
  /// What a controller is made of; ControllerBuilder fills it in. `runtime` and `metrics` are
  /// borrowed and outlive the controller.
  struct Options {
    std::string name;
    std::shared_ptr<WorkQueue> queue;
    std::shared_ptr<Reconciler> reconciler;
    std::vector<Source> sources = {};  ///< the first holds the objects that are reconciled
    int workers = 1;
    Runtime& runtime;
    MetricsRegistry& metrics;
    std::shared_ptr<OwnWrites> own_writes = nullptr;  ///< null: own writes are not waited for
    std::optional<std::string> instance_id = {};      ///< nullopt: all objects are for it
  };
  explicit Controller(Options options);
  ~Controller();  ///< stops and waits

  const std::string& name() const;
  int workers() const;
  /// Starts a thread that waits for the sources to sync and then runs the workers. Calling it
  /// again, or after RequestStop, changes nothing.
  void Start();
  /// Takes no more keys, drops those that are queued, and lets the workers finish what they do;
  /// returns at once.
  void RequestStop();
  ControllerState state() const;
  /// Waits for the workers, until `deadline`. False when one of them is still busy.
  bool AwaitStopped(MonotonicTime deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The keys that a change wakes. `before` is null for an addition, `after` for a deletion.
template <class T>
using KeysFunction =
    std::function<void(const T* before, const T* after, std::vector<NamespacedName>& keys)>;
/// Whether a change matters; arguments as above.
template <class T>
using Predicate = std::function<bool(const T* before, const T* after)>;

class CAPSTAN_EXPORT ControllerBuilder {
 public:
  ControllerBuilder(PluginContext& context, std::string name);
  ControllerBuilder(ControllerBuilder&&) noexcept;
  ~ControllerBuilder();

  /// The objects that are reconciled; each change and each resync of one wakes it. Once, and first.
  template <ApiObject T>
  ControllerBuilder& For(InformerScope scope = {}) {
    return For(DescriptorOf<T>(), std::move(scope));
  }
  /// Changes of objects of type T wake their controller, if it is of the type given to For. An
  /// object whose controller changed wakes both.
  template <ApiObject T>
  ControllerBuilder& Owns(InformerScope scope = {}) {
    return Owns(DescriptorOf<T>(), std::move(scope));
  }
  /// Changes of objects of type T wake the keys that `keys` names.
  template <ApiObject T>
  ControllerBuilder& Watches(KeysFunction<T> keys, InformerScope scope = {}) {
    return Watches(
        DescriptorOf<T>(),
        [keys = std::move(keys)](const void* before, const void* after,
                                 std::vector<NamespacedName>& out) {
          keys(static_cast<const T*>(before), static_cast<const T*>(after), out);
        },
        std::move(scope));
  }
  /// Filters the changes of the For, Owns or Watches before it; of several, all must agree. A
  /// resync of a For object is asked about too, with the same object twice.
  template <ApiObject T>
  ControllerBuilder& WithPredicate(Predicate<T> predicate) {
    return WithPredicate(DescriptorOf<T>(), [predicate = std::move(predicate)](const void* before,
                                                                               const void* after) {
      return predicate(static_cast<const T*>(before), static_cast<const T*>(after));
    });
  }
  /// An index over the objects of type T (all namespaces), for Lister<T>::ByIndex. A controller
  /// that is set up again keeps the index that it has.
  template <ApiObject T>
  ControllerBuilder& Index(std::string name,
                           std::function<void(const T&, std::vector<std::string>&)> function) {
    return Index(
        DescriptorOf<T>(), std::move(name),
        [function = std::move(function)](const void* object, std::vector<std::string>& keys) {
          function(*static_cast<const T*>(object), keys);
        });
  }
  /// How many requests are served at once. Default: the plugin's concurrent-syncs setting.
  ControllerBuilder& Workers(int count);

  /// Makes R(PluginContext&, args...) and registers the controller; it starts when the manager
  /// leads. InvalidArgument names what was built wrongly.
  template <class R, class... Args>
  Status Run(Args&&... args) {
    return Run([&](PluginContext& context) -> std::shared_ptr<Reconciler> {
      return std::make_shared<R>(context, std::forward<Args>(args)...);
    });
  }

  // The core, over type descriptors.
  using ErasedKeys =
      std::function<void(const void* before, const void* after, std::vector<NamespacedName>& keys)>;
  using ErasedPredicate = std::function<bool(const void* before, const void* after)>;
  ControllerBuilder& For(const TypeDescriptor& type, InformerScope scope);
  ControllerBuilder& Owns(const TypeDescriptor& type, InformerScope scope);
  ControllerBuilder& Watches(const TypeDescriptor& type, ErasedKeys keys, InformerScope scope);
  ControllerBuilder& WithPredicate(const TypeDescriptor& type, ErasedPredicate predicate);
  ControllerBuilder& Index(const TypeDescriptor& type, std::string name, IndexFunction function);
  Status Run(const std::function<std::shared_ptr<Reconciler>(PluginContext&)>& make);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
