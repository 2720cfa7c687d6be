#pragma once

/// The state of a PluginContext, shared by the plugin's side, the host's side and
/// ControllerBuilder.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <capstan/plugin/hosted_plugin.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/mutex.h>

#include "controller/own_writes.h"

namespace capstan {

struct PluginContext::Impl {
  Impl(std::string plugin_name, HostedPlugin::Host dependencies);

  /// The first error of the calls of Reads, or OK.
  Status CheckReads() const;
  /// Whether a controller of this name was added, taken or not.
  bool HasController(std::string_view controller_name) const;
  void AddController(std::unique_ptr<Controller> controller);

  const std::string name;
  HostedPlugin::Host host;
  SharedInformerFactory informers;              ///< the part of the host's that the plugin uses
  const std::shared_ptr<OwnWrites> own_writes;  ///< null in a dry run

  mutable Mutex mutex;
  std::set<std::string, std::less<>> controller_names CAPSTAN_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Controller>> controllers CAPSTAN_GUARDED_BY(mutex);
  Status reads CAPSTAN_GUARDED_BY(mutex);
  std::vector<HostedPlugin::ExplainedType> explainers CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, PageFunction> pages CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, std::function<Status()>> health_checks CAPSTAN_GUARDED_BY(mutex);
};

}  // namespace capstan
