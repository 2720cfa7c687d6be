#include <capstan/plugin/plugin_context.h>

#include <set>

#include <capstan/runtime/mutex.h>

#include "controller/own_writes.h"

namespace capstan {

struct PluginContext::Impl {
  const std::string name;
  Host host;
  const std::shared_ptr<OwnWrites> own_writes;
  mutable Mutex mutex;
  std::set<std::string, std::less<>> controller_names CAPSTAN_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Controller>> controllers CAPSTAN_GUARDED_BY(mutex);
  std::vector<ExplainedType> explainers CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, PageFunction> pages CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, std::function<Status()>> health_checks CAPSTAN_GUARDED_BY(mutex);

  Impl(std::string plugin_name, Host lent)
      : name(std::move(plugin_name)),
        host(std::move(lent)),
        own_writes(host.dry_run
                       ? nullptr
                       : std::make_shared<OwnWrites>(
                             host.client, host.confirm_first_writes ? &host.runtime : nullptr)) {
    if (own_writes) host.client = host.client.WithWriteObserver(own_writes);
  }
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

const std::optional<std::string>& PluginContext::instance_id() const {
  return impl_->host.instance_id;
}

const std::shared_ptr<OwnWrites>& PluginContext::own_writes() const { return impl_->own_writes; }

EventRecorder PluginContext::EventRecorder(std::string_view component) const {
  return {impl_->host.events, std::string(component)};
}

void PluginContext::ExplainWith(const TypeDescriptor& type, std::shared_ptr<Explainer> explainer) {
  MutexLock lock(impl_->mutex);
  std::erase_if(impl_->explainers, [&](const ExplainedType& known) { return known.type == &type; });
  impl_->explainers.push_back({&type, std::move(explainer)});
}

std::vector<PluginContext::ExplainedType> PluginContext::Explainers() const {
  MutexLock lock(impl_->mutex);
  return impl_->explainers;
}

void PluginContext::AddPage(std::string path, PageFunction page) {
  MutexLock lock(impl_->mutex);
  impl_->pages.insert_or_assign(std::move(path), std::move(page));
}

void PluginContext::AddHealthCheck(std::string name, std::function<Status()> check) {
  MutexLock lock(impl_->mutex);
  impl_->health_checks.insert_or_assign(std::move(name), std::move(check));
}

std::map<std::string, PageFunction> PluginContext::Pages() const {
  MutexLock lock(impl_->mutex);
  return impl_->pages;
}

std::map<std::string, std::function<Status()>> PluginContext::HealthChecks() const {
  MutexLock lock(impl_->mutex);
  return impl_->health_checks;
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
