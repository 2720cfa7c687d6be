#include <capstan/cache/shared_informer.h>

#include <exception>
#include <optional>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

namespace {

// A handler and whether it is still registered. The informer and the registration share it.
class Subscription {
 public:
  Subscription(EventHandler handler, Runtime& runtime)
      : handler_(std::move(handler)), idle_(runtime.NewCondition()) {}

  bool Removed() const {
    MutexLock lock(mutex_);
    return removed_;
  }
  // Waits for a call in progress.
  void Remove() {
    MutexLock lock(mutex_);
    removed_ = true;
    while (busy_) idle_->Wait(mutex_);
  }
  // Calls `call(handler)` and logs any exception.
  template <class Call>
  void Notify(const TypeDescriptor& type, const Call& call) {
    {
      MutexLock lock(mutex_);
      if (removed_) return;
      busy_ = true;
    }
    try {
      call(handler_);
    } catch (const std::exception& error) {
      LogError(Status(StatusReason::kUnknown, error.what()), "Event handler threw an exception",
               {{"type", type.name}});
    } catch (...) {
      LogError(Status(StatusReason::kUnknown, "not a std::exception"),
               "Event handler threw an exception", {{"type", type.name}});
    }
    MutexLock lock(mutex_);
    busy_ = false;
    if (removed_) idle_->NotifyAll();
  }

 private:
  const EventHandler handler_;
  const std::unique_ptr<Condition> idle_;
  mutable Mutex mutex_;
  bool removed_ CAPSTAN_GUARDED_BY(mutex_) = false;
  bool busy_ CAPSTAN_GUARDED_BY(mutex_) = false;
};
using SubscriptionPtr = std::shared_ptr<Subscription>;

}  // namespace

struct SharedInformer::Impl {
  enum class State { kNew, kStarting, kRunning, kStopping, kStopped };

  Impl(const Client& client, const TypeDescriptor& t, InformerScope s, Runtime& r, Duration resync)
      : type(t),
        scope(std::move(s)),
        runtime(r),
        indexer(std::make_shared<Indexer>(t)),
        fifo(t, *indexer, r),
        pending_statuses(*indexer, [this] { fifo.Wake(); }),
        reflector(client, t, scope, fifo, r, resync),
        changed(r.NewCondition()) {}

  bool HasList(const FieldSet& fields) const CAPSTAN_REQUIRES(mutex) {
    return first_list_applied && applied_fields.Contains(fields);
  }
  // Whether fields that were requested after the start are missing from the latest applied list.
  bool Widening() const CAPSTAN_REQUIRES(mutex) { return widened && !HasList(*wanted); }
  // Whether new handlers can be notified of the stored objects. They do not take part in the first
  // list: their long work queues would be interleaved in memory with the objects that stay.
  bool CanWelcome() const CAPSTAN_REQUIRES(mutex) { return first_list_applied && !Widening(); }
  bool Synced(const FieldSet& fields) const CAPSTAN_REQUIRES(mutex) {
    // Handlers that wait for a wider list do not count: only the callers that requested it wait for
    // it.
    return HasList(fields) && ((pending.empty() && !welcoming) || Widening());
  }
  bool Synced() const CAPSTAN_REQUIRES(mutex) { return wanted && Synced(*wanted); }
  void Process(const std::stop_token& stop);
  void AddNewHandlers();
  void NotifyProgress();
  void NotifyPendingStatuses();
  void Apply(const Delta& delta);
  template <class Call>
  void NotifyHandlers(const Call& call) {
    for (const SubscriptionPtr& handler : handlers) handler->Notify(type, call);
  }

  const TypeDescriptor& type;
  const InformerScope scope;
  Runtime& runtime;
  const std::shared_ptr<Indexer> indexer;
  DeltaFifo fifo;
  PendingStatusStore pending_statuses;
  Reflector reflector;
  std::stop_source stop;
  const std::unique_ptr<Condition> changed;

  // Used by the processing thread only.
  std::vector<SubscriptionPtr> handlers;
  std::string reported_progress;
  uint64_t reported_lists = 0;

  mutable Mutex mutex;
  State state CAPSTAN_GUARDED_BY(mutex) = State::kNew;
  std::vector<SubscriptionPtr> pending CAPSTAN_GUARDED_BY(mutex);  // await the stored objects
  bool welcoming CAPSTAN_GUARDED_BY(mutex) = false;
  bool first_list_applied CAPSTAN_GUARDED_BY(mutex) = false;
  FieldSet applied_fields CAPSTAN_GUARDED_BY(mutex);  // of the latest list in the store
  std::optional<FieldSet> wanted CAPSTAN_GUARDED_BY(mutex);
  bool widened CAPSTAN_GUARDED_BY(mutex) = false;  // fields were added after the start
  std::unique_ptr<Thread> reflecting CAPSTAN_GUARDED_BY(mutex);
  std::unique_ptr<Thread> processing CAPSTAN_GUARDED_BY(mutex);
};

// Runs on the processing thread between two objects, so that a new handler sees each change exactly
// once: either in the store or afterwards.
void SharedInformer::Impl::AddNewHandlers() {
  std::erase_if(handlers, [](const SubscriptionPtr& handler) { return handler->Removed(); });
  std::vector<SubscriptionPtr> new_handlers;
  {
    MutexLock lock(mutex);
    if (pending.empty() || !CanWelcome()) return;
    new_handlers.swap(pending);
    welcoming = true;
  }
  const std::vector<ObjectPtr> stored = indexer->List();
  for (SubscriptionPtr& handler : new_handlers) {
    for (const ObjectPtr& object : stored) {
      handler->Notify(type, [&](const EventHandler& h) {
        if (h.on_add) h.on_add(object, true);
      });
    }
    if (!reported_progress.empty()) {
      handler->Notify(type, [&](const EventHandler& h) {
        if (h.on_progress) h.on_progress(reported_progress, true);
      });
    }
    handlers.push_back(std::move(handler));
  }
  MutexLock lock(mutex);
  welcoming = false;
}

void SharedInformer::Impl::NotifyProgress() {
  std::string progress = fifo.AppliedResourceVersion();
  const uint64_t lists = fifo.AppliedLists();
  if (progress == reported_progress && lists == reported_lists) return;
  const bool listed = lists != reported_lists;
  reported_progress = std::move(progress);
  reported_lists = lists;
  NotifyHandlers([&](const EventHandler& handler) {
    if (handler.on_progress) handler.on_progress(reported_progress, listed);
  });
}

void SharedInformer::Impl::NotifyPendingStatuses() {
  for (const PendingStatusStore::Announcement& announcement :
       pending_statuses.TakeAnnouncements()) {
    NotifyHandlers([&](const EventHandler& handler) {
      if (!handler.on_pending_status) return;
      handler.on_pending_status(announcement.before, announcement.after, announcement.wake_after);
    });
  }
}

void SharedInformer::Impl::Apply(const Delta& delta) {
  const api::ObjectMeta& metadata = MetadataOf(type, delta.object.get());
  if (delta.type == Delta::Type::kDeleted) {
    const ObjectPtr deleted = indexer->Delete(api::NameOf(metadata));
    if (!deleted) return;
    pending_statuses.Forget(MetadataOf(type, deleted.get()).uid);
    NotifyHandlers([&](const EventHandler& handler) {
      if (handler.on_delete) handler.on_delete(delta.object, delta.final_state_unknown);
    });
    return;
  }
  if (delta.type == Delta::Type::kReplaced) {
    const ObjectPtr stored = indexer->Get(metadata.namespace_.view(), metadata.name);
    const api::ObjectMeta* known = stored ? &MetadataOf(type, stored.get()) : nullptr;
    if (known && known->resourceVersion == metadata.resourceVersion) {
      // The version is unchanged, but the new list may hold more fields.
      if (known->kept != metadata.kept) indexer->Put(delta.object);
      return;
    }
  }
  const ObjectPtr before = indexer->Put(delta.object);
  if (before && MetadataOf(type, before.get()).uid != metadata.uid) {
    pending_statuses.Forget(MetadataOf(type, before.get()).uid);
  }
  NotifyHandlers([&](const EventHandler& handler) {
    if (before) {
      if (handler.on_update) handler.on_update(before, delta.object);
    } else {
      if (handler.on_add) handler.on_add(delta.object, delta.initial_list);
    }
  });
}

void SharedInformer::Impl::Process(const std::stop_token& token) {
  while (true) {
    // Read in this order: once HasSynced is true, the applied fields are those of a list.
    const bool synced = fifo.HasSynced();
    const FieldSet fields = fifo.AppliedFields();
    {
      MutexLock lock(mutex);
      applied_fields = fields;
    }
    AddNewHandlers();
    NotifyProgress();
    NotifyPendingStatuses();
    {
      MutexLock lock(mutex);
      if (synced) first_list_applied = true;
      if (Synced()) changed->NotifyAll();
      // Handlers that waited for this list are called before the next Pop.
      if (!pending.empty() && CanWelcome()) continue;
    }
    std::optional<std::vector<Delta>> deltas = fifo.Pop(token);
    if (!deltas) return;
    if (deltas->empty()) continue;
    for (const Delta& delta : *deltas) Apply(delta);
    fifo.Done();
  }
}

SharedInformer::SharedInformer(const Client& client, const TypeDescriptor& type,
                               InformerScope scope, Runtime& runtime, Duration resync_period)
    : impl_(std::make_unique<Impl>(client, type, std::move(scope), runtime, resync_period)) {}
SharedInformer::~SharedInformer() { Stop(); }

std::shared_ptr<void> SharedInformer::AddEventHandler(EventHandler handler) {
  auto subscription = std::make_shared<Subscription>(std::move(handler), impl_->runtime);
  {
    MutexLock lock(impl_->mutex);
    impl_->pending.push_back(subscription);
  }
  impl_->fifo.Wake();
  return {subscription.get(), [subscription](void*) { subscription->Remove(); }};
}

Status SharedInformer::AddIndex(std::string name, IndexFunction function) {
  return impl_->indexer->AddIndex(std::move(name), std::move(function));
}

void SharedInformer::Keep(const FieldSet& fields) {
  {
    MutexLock lock(impl_->mutex);
    const FieldSet all = impl_->wanted ? impl_->wanted->Union(fields) : fields;
    if (impl_->wanted == all) return;
    impl_->wanted = all;
    if (impl_->state != Impl::State::kNew) impl_->widened = true;
  }
  impl_->reflector.Keep(fields);
}

// Starts the threads without the lock, because they may run at once.
void SharedInformer::Start() {
  Impl& impl = *impl_;
  {
    MutexLock lock(impl.mutex);
    if (impl.state != Impl::State::kNew) return;
    impl.state = Impl::State::kStarting;
    if (!impl.wanted) impl.wanted = FieldSet();
  }
  const std::stop_token token = impl.stop.get_token();
  auto processing = impl.runtime.Start("informer", [&impl, token] { impl.Process(token); });
  auto reflecting = impl.runtime.Start("reflector", [&impl, token] { impl.reflector.Run(token); });
  MutexLock lock(impl.mutex);
  impl.processing = std::move(processing);
  impl.reflecting = std::move(reflecting);
  impl.state = Impl::State::kRunning;
  impl.changed->NotifyAll();
}

void SharedInformer::RequestStop() { impl_->stop.request_stop(); }

void SharedInformer::Stop() {
  Impl& impl = *impl_;
  std::unique_ptr<Thread> reflecting, processing;
  {
    MutexLock lock(impl.mutex);
    while (impl.state == Impl::State::kStarting || impl.state == Impl::State::kStopping) {
      impl.changed->Wait(impl.mutex);
    }
    if (impl.state == Impl::State::kStopped) return;
    impl.state = Impl::State::kStopping;
    reflecting = std::move(impl.reflecting);
    processing = std::move(impl.processing);
  }
  impl.stop.request_stop();
  reflecting.reset();
  processing.reset();
  MutexLock lock(impl.mutex);
  impl.state = Impl::State::kStopped;
  impl.changed->NotifyAll();
}

bool SharedInformer::HasSynced() const {
  MutexLock lock(impl_->mutex);
  return impl_->Synced();
}

bool SharedInformer::HasSynced(const FieldSet& fields) const {
  MutexLock lock(impl_->mutex);
  return impl_->Synced(fields);
}

bool SharedInformer::WaitForSync(const std::stop_token& stop) {
  Impl& impl = *impl_;
  StopWaker waker(stop, impl.mutex, *impl.changed);
  MutexLock lock(impl.mutex);
  while (!impl.Synced()) {
    if (stop.stop_requested() || impl.state == Impl::State::kStopped) return false;
    impl.changed->Wait(impl.mutex);
  }
  return true;
}

std::string SharedInformer::LastSyncResourceVersion() const {
  return impl_->fifo.AppliedResourceVersion();
}

const TypeDescriptor& SharedInformer::type() const { return impl_->type; }
const InformerScope& SharedInformer::scope() const { return impl_->scope; }
std::shared_ptr<const Indexer> SharedInformer::indexer() const { return impl_->indexer; }
PendingStatusStore& SharedInformer::pending_statuses() { return impl_->pending_statuses; }

}  // namespace capstan
