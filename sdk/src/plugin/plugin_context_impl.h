#pragma once

// What a PluginContext holds: the author's side, the host's side and ControllerBuilder share it.

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

  // What is wrong with the calls of Reads.
  Status CheckReads() const;
  // Whether a controller of this name was added, taken or not.
  bool HasController(std::string_view controller_name) const;
  void AddController(std::unique_ptr<Controller> controller);

  const std::string name;
  HostedPlugin::Host host;
  SharedInformerFactory informers;              // the host's, as far as the plugin uses them
  const std::shared_ptr<OwnWrites> own_writes;  // null in a dry run

  mutable Mutex mutex;
  std::set<std::string, std::less<>> controller_names CAPSTAN_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Controller>> controllers CAPSTAN_GUARDED_BY(mutex);
  Status reads CAPSTAN_GUARDED_BY(mutex);
  std::vector<HostedPlugin::ExplainedType> explainers CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, PageFunction> pages CAPSTAN_GUARDED_BY(mutex);
  std::map<std::string, std::function<Status()>> health_checks CAPSTAN_GUARDED_BY(mutex);
};

}  // namespace capstan
