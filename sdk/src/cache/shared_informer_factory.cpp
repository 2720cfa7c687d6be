#include <map>
#include <string>
#include <utility>

#include <capstan/cache/shared_informer.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

struct SharedInformerFactory::Impl {
  struct Given {
    SharedInformer* informer = nullptr;
    bool reads = false;  // requested from this factory, not only from a child
  };

  Impl(const Client& c, Runtime& r, Duration resync, std::string namespace_)
      : client(c), runtime(r), resync_period(resync), default_namespace(std::move(namespace_)) {}
  explicit Impl(SharedInformerFactory& p)
      : parent(&p),
        client(p.impl_->client),
        runtime(p.impl_->runtime),
        resync_period(p.impl_->resync_period),
        default_namespace(p.impl_->default_namespace) {}

  // Informers live as long as the factory that created them, so they are used without the lock.
  std::vector<SharedInformer*> All() const {
    MutexLock lock(mutex);
    std::vector<SharedInformer*> all;
    for (const Given& each : given) all.push_back(each.informer);
    return all;
  }
  std::vector<Given> AllGiven() const {
    MutexLock lock(mutex);
    return given;
  }
  FieldSet FieldsOf(const TypeDescriptor& type) const {
    MutexLock lock(mutex);
    const auto found = reads.find(&type);
    return found == reads.end() ? FieldSet() : found->second;
  }
  SharedInformer& Give(const TypeDescriptor& type, InformerScope scope, bool to_part);

  SharedInformerFactory* const parent = nullptr;
  const Client client;
  Runtime& runtime;
  const Duration resync_period;
  const std::string default_namespace;

  mutable Mutex mutex;
  // In the order of the requests. There are only a few.
  std::vector<Given> given CAPSTAN_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<SharedInformer>> made CAPSTAN_GUARDED_BY(mutex);  // empty in a child
  std::map<const TypeDescriptor*, FieldSet> reads CAPSTAN_GUARDED_BY(mutex);
};

SharedInformerFactory::SharedInformerFactory(Client client, Runtime& runtime,
                                             Duration resync_period, std::string default_namespace)
    : impl_(std::make_unique<Impl>(std::move(client), runtime, resync_period,
                                   std::move(default_namespace))) {}
SharedInformerFactory::SharedInformerFactory(SharedInformerFactory& parent)
    : impl_(std::make_unique<Impl>(parent)) {}
SharedInformerFactory::~SharedInformerFactory() {
  if (!impl_->parent) Stop();
}

SharedInformer& SharedInformerFactory::Impl::Give(const TypeDescriptor& type, InformerScope scope,
                                                  bool to_part) {
  if (scope.namespace_.empty() && type.resource && type.resource->namespaced) {
    scope.namespace_ = default_namespace;
  }
  SharedInformer* of_parent = parent ? &parent->impl_->Give(type, scope, true) : nullptr;
  MutexLock lock(mutex);
  for (Given& each : given) {
    if (&each.informer->type() != &type || each.informer->scope() != scope) continue;
    each.reads |= !to_part;
    return *each.informer;
  }
  SharedInformer* informer = of_parent;
  if (!informer) {
    informer = made.emplace_back(std::make_unique<SharedInformer>(client, type, std::move(scope),
                                                                  runtime, resync_period))
                   .get();
  }
  given.push_back({informer, !to_part});
  return *informer;
}

SharedInformer& SharedInformerFactory::InformerFor(const TypeDescriptor& type,
                                                   InformerScope scope) {
  return impl_->Give(type, std::move(scope), false);
}

void SharedInformerFactory::Reads(const TypeDescriptor& type, const FieldSet& fields) {
  MutexLock lock(impl_->mutex);
  const auto [found, added] = impl_->reads.try_emplace(&type, fields);
  if (!added) found->second = found->second.Union(fields);
}

void SharedInformerFactory::ShareReads() {
  for (const Impl::Given& each : impl_->AllGiven()) {
    if (each.reads) each.informer->Keep(impl_->FieldsOf(each.informer->type()));
  }
}

std::vector<SharedInformer*> SharedInformerFactory::Informers() const { return impl_->All(); }

void SharedInformerFactory::Start() {
  ShareReads();
  for (SharedInformer* informer : impl_->All()) informer->Start();
}

void SharedInformerFactory::Stop() {
  for (SharedInformer* informer : impl_->All()) informer->RequestStop();
  for (SharedInformer* informer : impl_->All()) informer->Stop();
}

bool SharedInformerFactory::WaitForCacheSync(const std::stop_token& stop) {
  while (!HasSynced()) {
    for (SharedInformer* informer : impl_->All()) {
      if (!informer->WaitForSync(stop)) return false;
    }
  }
  return true;
}

bool SharedInformerFactory::HasSynced() const {
  for (const Impl::Given& each : impl_->AllGiven()) {
    const bool synced = each.reads
                            ? each.informer->HasSynced(impl_->FieldsOf(each.informer->type()))
                            : each.informer->HasSynced();
    if (!synced) return false;
  }
  return true;
}

}  // namespace capstan
