#include "plugins/plugin_loader.h"

#include <boost/dll/shared_library.hpp>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

/// Extracts dlerror's text from Boost's message, which adds a meaningless error code.
std::string LinkerMessage(const std::string& text) {
  constexpr std::string_view kBegin = "(dlerror system message: ";
  const size_t begin = text.find(kBegin);
  const size_t end = text.rfind("):");
  if (begin == std::string::npos || end == std::string::npos || end < begin + kBegin.size()) {
    return text;
  }
  return text.substr(begin + kBegin.size(), end - begin - kBegin.size());
}

/// The list is never destroyed, so no library is unloaded.
void KeepForever(boost::dll::shared_library library) {
  static auto* const libraries = new std::vector<boost::dll::shared_library>;
  libraries->push_back(std::move(library));
}

Status CheckDescriptor(const PluginDescriptor& descriptor, const PluginManifest& manifest) {
  if (descriptor.size != sizeof(PluginDescriptor)) {
    return Status::InvalidArgument(
        Format("its descriptor has {} bytes, contract version {} requires {}; rebuild the plugin",
               descriptor.size, kPluginContractVersion, sizeof(PluginDescriptor)));
  }
  if (descriptor.contract_version != kPluginContractVersion) {
    return Status::InvalidArgument(Format(
        "its descriptor has contract version {}, this manager has version {}; rebuild the plugin",
        descriptor.contract_version, kPluginContractVersion));
  }
  const char* name = descriptor.info.name;
  if (name == nullptr || manifest.name != name) {
    return Status::InvalidArgument(Format("its note says \"{}\" and its descriptor \"{}\"",
                                          manifest.name, name == nullptr ? "" : name));
  }
  if (descriptor.info.setup == nullptr) {
    return Status::InvalidArgument("its descriptor has no setup function");
  }
  for (size_t i = 0; i < manifest.explains.size(); ++i) {
    const ExplainedKind& kind = descriptor.info.explains[i];
    if (kind.kind && manifest.explains[i].kind == kind.kind && kind.explain) continue;
    return Status::InvalidArgument(Format(
        "its descriptor does not explain the kind \"{}\" of its note", manifest.explains[i].kind));
  }
  return Status::Ok();
}

Result<const PluginInfo*> Load(const PluginManifest& manifest) {
  boost::dll::shared_library library;
  try {
    library.load(manifest.file,
                 boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    if (!library.has(kPluginDescriptorSymbol)) {
      KeepForever(std::move(library));
      return Status::InvalidArgument(
          Format("does not export {}; is CAPSTAN_PLUGIN missing?", kPluginDescriptorSymbol));
    }
    const auto& descriptor = library.get<const PluginDescriptor>(kPluginDescriptorSymbol);
    KeepForever(std::move(library));
    if (Status status = CheckDescriptor(descriptor, manifest); !status.ok()) return status;
    return &descriptor.info;
  } catch (const std::exception& error) {
    return Status::InvalidArgument("cannot be loaded: " + LinkerMessage(error.what()));
  } catch (...) {
    return Status::InvalidArgument("cannot be loaded: one of its initialisers threw an exception");
  }
}

Status CallSetup(PluginSetup setup, PluginContext& context) {
  try {
    Status status = setup(context);
    return status.ok() ? status : Status::InvalidArgument("its setup failed: " + status.ToString());
  } catch (const std::exception& error) {
    return Status::InvalidArgument(std::string("its setup threw: ") + error.what());
  } catch (...) {
    return Status::InvalidArgument("its setup threw an exception that is not a std::exception");
  }
}

std::string Naming(const PluginManifest& manifest) {
  return Format("plugin {} ({})", manifest.name, manifest.file.string());
}

}  // namespace

Result<LoadedPlugin> LoadPlugin(const PluginManifest& manifest) {
  const auto info = Load(manifest);
  if (!info) return info.status().WithContext(Naming(manifest));
  const ExplainedKind* kinds = (*info)->explains;
  return LoadedPlugin{manifest, (*info)->setup, {kinds, kinds + manifest.explains.size()}};
}

Result<Explanation> CallExplain(const LoadedPlugin& plugin, size_t index, const Client& client,
                                const NamespacedName& name, WallTime now) {
  std::string what = "an exception that is not a std::exception";
  try {
    return plugin.explains.at(index).explain(client, name, now);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  return Status(StatusReason::kUnknown, "its explanation threw: " + what)
      .WithContext(Naming(plugin.manifest));
}

Status SetUpPlugin(const LoadedPlugin& plugin, PluginContext& context) {
  return CallSetup(plugin.setup, context).WithContext(Naming(plugin.manifest));
}

}  // namespace capstan::manager
