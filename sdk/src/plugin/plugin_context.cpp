#include <capstan/plugin/plugin_context.h>

#include <set>

#include <capstan/runtime/mutex.h>

namespace capstan {

struct PluginContext::Impl {
  const std::string name;
  Host host;
  mutable Mutex mutex;
  std::set<std::string, std::less<>> controller_names CAPSTAN_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Controller>> controllers CAPSTAN_GUARDED_BY(mutex);

  Impl(std::string plugin_name, Host lent) : name(std::move(plugin_name)), host(std::move(lent)) {}
};

PluginContext::PluginContext(std::string plugin_name, Host host)
    : impl_(std::make_unique<Impl>(std::move(plugin_name), std::move(host))) {}
PluginContext::~PluginContext() = default;

const std::string& PluginContext::plugin_name() const { return impl_->name; }
const Client& PluginContext::client() const { return impl_->host.client; }
Runtime& PluginContext::runtime() const { return impl_->host.runtime; }
MetricsRegistry& PluginContext::metrics() const { return impl_->host.metrics; }
Scheme& PluginContext::scheme() const { return impl_->host.scheme; }
SharedInformerFactory& PluginContext::informers() const { return impl_->host.informers; }
int PluginContext::concurrent_syncs() const { return impl_->host.concurrent_syncs; }

EventRecorder PluginContext::EventRecorder(std::string_view component) const {
  return {impl_->host.events, std::string(component)};
}

void PluginContext::AddController(std::unique_ptr<Controller> controller) {
  MutexLock lock(impl_->mutex);
  impl_->controller_names.insert(controller->name());
  impl_->controllers.push_back(std::move(controller));
}

bool PluginContext::HasController(std::string_view name) const {
  MutexLock lock(impl_->mutex);
  return impl_->controller_names.contains(name);
}

std::vector<std::unique_ptr<Controller>> PluginContext::TakeControllers() {
  MutexLock lock(impl_->mutex);
  return std::move(impl_->controllers);
}

}  // namespace capstan
