#include <capstan/plugin/hosted_plugin.h>

#include <utility>

#include "plugin/plugin_context_impl.h"

namespace capstan {

HostedPlugin::HostedPlugin(std::string plugin_name, Host host)
    : context_(new PluginContext(
          std::make_unique<PluginContext::Impl>(std::move(plugin_name), std::move(host)))) {}
HostedPlugin::~HostedPlugin() = default;

Status HostedPlugin::CheckReads() const { return context_->impl_->CheckReads(); }

std::vector<std::unique_ptr<Controller>> HostedPlugin::TakeControllers() {
  PluginContext::Impl& impl = *context_->impl_;
  MutexLock lock(impl.mutex);
  return std::exchange(impl.controllers, {});
}

std::vector<HostedPlugin::ExplainedType> HostedPlugin::Explainers() const {
  const PluginContext::Impl& impl = *context_->impl_;
  MutexLock lock(impl.mutex);
  return impl.explainers;
}

std::map<std::string, PageFunction> HostedPlugin::Pages() const {
  const PluginContext::Impl& impl = *context_->impl_;
  MutexLock lock(impl.mutex);
  return impl.pages;
}

std::map<std::string, std::function<Status()>> HostedPlugin::HealthChecks() const {
  const PluginContext::Impl& impl = *context_->impl_;
  MutexLock lock(impl.mutex);
  return impl.health_checks;
}

const PageFunction* FindPage(const std::map<std::string, PageFunction>& pages,
                             const std::string& path) {
  const auto exact = pages.find(path);
  if (exact != pages.end()) return &exact->second;
  for (size_t end = path.rfind('/'); end != std::string::npos; end = path.rfind('/', end - 1)) {
    const auto above = pages.find(path.substr(0, end + 1));
    if (above != pages.end()) return &above->second;
    if (end == 0) break;
  }
  return nullptr;
}

}  // namespace capstan
