#include <string>
#include <utility>

#include <capstan/cache/shared_informer.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

struct SharedInformerFactory::Impl {
  Impl(const Client& c, Runtime& r, Duration resync, std::string namespace_)
      : client(c), runtime(r), resync_period(resync), default_namespace(std::move(namespace_)) {}
  explicit Impl(SharedInformerFactory& p)
      : parent(&p),
        client(p.impl_->client),
        runtime(p.impl_->runtime),
        resync_period(p.impl_->resync_period),
        default_namespace(p.impl_->default_namespace) {}

  // Informers live as long as the factory that made them, so that they may be used without the
  // lock.
  std::vector<SharedInformer*> All() const {
    MutexLock lock(mutex);
    return given;
  }

  SharedInformerFactory* const parent = nullptr;
  const Client client;
  Runtime& runtime;
  const Duration resync_period;
  const std::string default_namespace;

  mutable Mutex mutex;
  // In the order in which they were asked for; there are a few.
  std::vector<SharedInformer*> given CAPSTAN_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<SharedInformer>> made CAPSTAN_GUARDED_BY(mutex);  // not of a part
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

SharedInformer& SharedInformerFactory::InformerFor(const TypeDescriptor& type,
                                                   InformerScope scope) {
  if (scope.namespace_.empty() && type.resource && type.resource->namespaced) {
    scope.namespace_ = impl_->default_namespace;
  }
  SharedInformer* of_parent = impl_->parent ? &impl_->parent->InformerFor(type, scope) : nullptr;
  MutexLock lock(impl_->mutex);
  for (SharedInformer* informer : impl_->given) {
    if (&informer->type() == &type && informer->scope() == scope) return *informer;
  }
  if (of_parent) return *impl_->given.emplace_back(of_parent);
  auto& made = impl_->made.emplace_back(std::make_unique<SharedInformer>(
      impl_->client, type, std::move(scope), impl_->runtime, impl_->resync_period));
  return *impl_->given.emplace_back(made.get());
}

std::vector<SharedInformer*> SharedInformerFactory::Informers() const { return impl_->All(); }

void SharedInformerFactory::Start() {
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
  for (const SharedInformer* informer : impl_->All()) {
    if (!informer->HasSynced()) return false;
  }
  return true;
}

}  // namespace capstan
