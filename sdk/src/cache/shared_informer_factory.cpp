#include <utility>

#include <capstan/cache/shared_informer.h>
#include <capstan/runtime/mutex.h>

namespace capstan {

struct SharedInformerFactory::Impl {
  Impl(const Client& c, Runtime& r, Duration resync)
      : client(c), runtime(r), resync_period(resync) {}

  // Informers live as long as the factory, so that they may be used without the lock.
  std::vector<SharedInformer*> All() const {
    MutexLock lock(mutex);
    std::vector<SharedInformer*> all;
    all.reserve(informers.size());
    for (const auto& informer : informers) all.push_back(informer.get());
    return all;
  }

  const Client client;
  Runtime& runtime;
  const Duration resync_period;

  mutable Mutex mutex;
  // In the order in which they were asked for; there are a few.
  std::vector<std::unique_ptr<SharedInformer>> informers CAPSTAN_GUARDED_BY(mutex);
};

SharedInformerFactory::SharedInformerFactory(Client client, Runtime& runtime,
                                             Duration resync_period)
    : impl_(std::make_unique<Impl>(std::move(client), runtime, resync_period)) {}
SharedInformerFactory::~SharedInformerFactory() { Stop(); }

SharedInformer& SharedInformerFactory::InformerFor(const TypeDescriptor& type,
                                                   InformerScope scope) {
  MutexLock lock(impl_->mutex);
  for (const auto& informer : impl_->informers) {
    if (&informer->type() == &type && informer->scope() == scope) return *informer;
  }
  return *impl_->informers.emplace_back(std::make_unique<SharedInformer>(
      impl_->client, type, std::move(scope), impl_->runtime, impl_->resync_period));
}

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
