#include <capstan/plugin/plugin_context.h>

#include <utility>

#include <capstan/runtime/format.h>

#include "plugin/plugin_context_impl.h"

namespace capstan {

PluginContext::Impl::Impl(std::string plugin_name, HostedPlugin::Host dependencies)
    : name(std::move(plugin_name)),
      host(std::move(dependencies)),
      informers(host.informers),
      own_writes(host.dry_run
                     ? nullptr
                     : std::make_shared<OwnWrites>(
                           host.client, host.confirm_first_writes ? &host.runtime : nullptr,
                           host.live_versions)) {
  if (own_writes) host.client = host.client.WithWriteObserver(own_writes);
}

Status PluginContext::Impl::CheckReads() const {
  MutexLock lock(mutex);
  return reads;
}

bool PluginContext::Impl::HasController(std::string_view controller_name) const {
  MutexLock lock(mutex);
  return controller_names.contains(controller_name);
}

void PluginContext::Impl::AddController(std::unique_ptr<Controller> controller) {
  MutexLock lock(mutex);
  controller_names.insert(controller->name());
  controllers.push_back(std::move(controller));
}

PluginContext::PluginContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PluginContext::~PluginContext() = default;

const std::string& PluginContext::plugin_name() const { return impl_->name; }
const Client& PluginContext::client() const { return impl_->host.client; }
Runtime& PluginContext::runtime() const { return impl_->host.runtime; }
MetricsRegistry& PluginContext::metrics() const { return impl_->host.metrics; }
Scheme& PluginContext::scheme() const { return impl_->host.scheme; }
SharedInformerFactory& PluginContext::informers() const { return impl_->informers; }
int PluginContext::concurrent_syncs() const { return impl_->host.concurrent_syncs; }

void PluginContext::Reads(const TypeDescriptor& type, std::span<const std::string_view> paths) {
  const auto fields = FieldSet::Of(type, paths);
  if (fields) return impl_->informers.Reads(type, *fields);
  MutexLock lock(impl_->mutex);
  if (!impl_->reads.ok()) return;
  impl_->reads = fields.status().WithContext(
      Format("Reads<{}>", type.resource ? type.resource->kind : type.name));
}

EventRecorder PluginContext::EventRecorder(std::string_view component) const {
  return {impl_->host.events, std::string(component)};
}

void PluginContext::ExplainWith(const TypeDescriptor& type, std::shared_ptr<Explainer> explainer) {
  MutexLock lock(impl_->mutex);
  std::erase_if(impl_->explainers, [&](const auto& known) { return known.type == &type; });
  impl_->explainers.push_back({&type, std::move(explainer)});
}

void PluginContext::AddPage(std::string path, PageFunction page) {
  MutexLock lock(impl_->mutex);
  impl_->pages.insert_or_assign(std::move(path), std::move(page));
}

void PluginContext::AddHealthCheck(std::string name, std::function<Status()> check) {
  MutexLock lock(impl_->mutex);
  impl_->health_checks.insert_or_assign(std::move(name), std::move(check));
}

}  // namespace capstan
