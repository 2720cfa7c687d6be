#pragma once

/// Controller and ControllerBuilder: which changes enqueue which requests, and how many workers
/// process them.
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

/// A snapshot of a controller's activity.
struct ControllerState {
  bool started = false;  ///< the caches are filled and the workers run
  int workers = 0;
  int busy = 0;
  size_t queued = 0;
  /// Set while every worker is in a reconcile: the time since which all workers have been busy and
  /// no reconcile has begun or ended.
  std::optional<MonotonicTime> all_busy_since = {};
  /// The error of the last failed reconcile; "" if none has failed.
  std::string last_error = {};
  WallTime last_error_time = {};
};

/// The label that assigns an object to one of several managers, each of which has an instance id.
inline constexpr std::string_view kInstanceIdLabel = "capstan.dev/instance-id";

/// A queue, its workers and a reconciler.
///
/// A failed reconcile is retried without limit, with the queue's backoff, but not before the
/// error's Retry-After has passed. After a terminal error (Status::IsTerminal) the key waits for a
/// change.
///
/// Read your own writes: when a reconcile has created, patched or deleted objects through
/// PluginContext::client, the next reconcile of the same object starts after the caches show these
/// writes. This covers all types given to For, Owns and Watches. When the caches catch up, the
/// object is enqueued. If a write got no response, its outcome is first read from the server.
///
/// With an instance id, the controller reconciles only objects whose kInstanceIdLabel equals the
/// id. With an empty id, it reconciles only objects without the label. A key whose object is not in
/// the cache is always reconciled. A child needs the label too if another controller reconciles it:
/// a ReplicaSet gets the label from the pod template of its Deployment.
///
/// Metrics: capstan_reconcile_total{controller,result},
/// capstan_reconcile_duration_seconds{controller} and capstan_active_workers{controller}, in
/// addition to the queue's metrics.
///
/// Threads: call Start from one thread. The other methods may be called from any thread.
class CAPSTAN_EXPORT Controller {
 public:
  /// An informer and the handler of its events. The handler is added at Start: before that, a
  /// standby controller would only accumulate keys. The handler may be empty.
  struct Source {
    SharedInformer* informer = nullptr;
    EventHandler handler = {};
  };
  /// The parts of a controller; ControllerBuilder sets them. `runtime` and `metrics` are borrowed
  /// and must outlive the controller.
  struct Options {
    std::string name;
    std::shared_ptr<WorkQueue> queue;
    std::shared_ptr<Reconciler> reconciler;
    std::vector<Source> sources = {};  ///< the first is the source of the reconciled objects
    int workers = 1;
    Runtime& runtime;
    MetricsRegistry& metrics;
    std::shared_ptr<OwnWrites> own_writes = nullptr;  ///< null: does not wait for own writes
    std::optional<std::string> instance_id = {};      ///< nullopt: all objects are reconciled
  };
  explicit Controller(Options options);
  ~Controller();  ///< stops the workers and waits for them

  const std::string& name() const;
  int workers() const;
  /// Starts a thread that waits for the sources to sync and then runs the workers. Has no effect if
  /// called again, or after RequestStop.
  void Start();
  /// Accepts no more keys, drops the queued ones and lets the workers finish their current
  /// reconciles. Returns at once.
  void RequestStop();
  ControllerState state() const;
  /// Waits for the workers until `deadline`. Returns false if a worker is still busy.
  bool AwaitStopped(MonotonicTime deadline);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Appends the keys that a change enqueues. `before` is null for an addition, `after` for a
/// deletion.
template <class T>
using KeysFunction =
    std::function<void(const T* before, const T* after, std::vector<NamespacedName>& keys)>;
/// Returns whether a change is relevant. The arguments are those of KeysFunction.
template <class T>
using Predicate = std::function<bool(const T* before, const T* after)>;

class CAPSTAN_EXPORT ControllerBuilder {
 public:
  ControllerBuilder(PluginContext& context, std::string name);
  ControllerBuilder(ControllerBuilder&&) noexcept;
  ~ControllerBuilder();

  /// Sets the type of the reconciled objects. Each change and each resync of an object enqueues it.
  /// Must be called once, before the other methods.
  template <ApiObject T>
  ControllerBuilder& For(InformerScope scope = {}) {
    return For(DescriptorOf<T>(), std::move(scope));
  }
  /// Changes of objects of type T enqueue their controller, if the controller has the type given to
  /// For. If an object's controller changes, both controllers are enqueued. A status that another
  /// controller of this process has published for an object, but not written yet, is such a change
  /// (capstan/cache/pending_statuses.h).
  template <ApiObject T>
  ControllerBuilder& Owns(InformerScope scope = {}) {
    return Owns(DescriptorOf<T>(), std::move(scope));
  }
  /// Changes of objects of type T enqueue the keys that `keys` returns.
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
  /// Filters the changes of the preceding For, Owns or Watches. If there are several predicates,
  /// all must return true. A resync of a For object is filtered too, with the same object twice.
  template <ApiObject T>
  ControllerBuilder& WithPredicate(Predicate<T> predicate) {
    return WithPredicate(DescriptorOf<T>(), [predicate = std::move(predicate)](const void* before,
                                                                               const void* after) {
      return predicate(static_cast<const T*>(before), static_cast<const T*>(after));
    });
  }
  /// Adds an index over the objects of type T in all namespaces, for Lister<T>::ByIndex. If the
  /// controller is set up again, the existing index is kept.
  template <ApiObject T>
  ControllerBuilder& Index(std::string name,
                           std::function<void(const T&, std::vector<std::string>&)> function) {
    return Index(
        DescriptorOf<T>(), std::move(name),
        [function = std::move(function)](const void* object, std::vector<std::string>& keys) {
          function(*static_cast<const T*>(object), keys);
        });
  }
  /// The number of requests that are processed concurrently. Default: the plugin's concurrent-syncs
  /// setting.
  ControllerBuilder& Workers(int count);

  /// Constructs R(PluginContext&, args...) and registers the controller, which starts when the
  /// manager is the leader. InvalidArgument: the message names the mistake in the builder's calls.
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
