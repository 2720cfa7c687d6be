#pragma once

/// Includes what a plugin's setup needs in addition to <capstan/controller.h>.

#include <capstan/plugin/descriptor.h>
#include <capstan/plugin/layout.h>
#include <capstan/plugin/plugin_context.h>

/// Makes the shared object a plugin. The arguments are the members of PluginInfo as designated
/// initialisers, in the order of their declaration. Use it once per plugin, outside any namespace.
#define CAPSTAN_PLUGIN(...)                                                                       \
  namespace {                                                                                     \
  constexpr ::capstan::PluginInfo kCapstanPluginInfo{__VA_ARGS__};                                \
  static_assert(::capstan::internal::IsPluginName(kCapstanPluginInfo.name),                       \
                "CAPSTAN_PLUGIN: .name must consist of lower-case letters, digits, '-' and '.'"); \
  static_assert(kCapstanPluginInfo.setup != nullptr, "CAPSTAN_PLUGIN: .setup is missing");        \
  static_assert(kCapstanPluginInfo.concurrent_syncs > 0,                                          \
                "CAPSTAN_PLUGIN: .concurrent_syncs must be positive");                            \
  static_assert(::capstan::internal::AreExplainedKinds(kCapstanPluginInfo.explains),              \
                "CAPSTAN_PLUGIN: .explains needs .kind, .resource and .explain in each entry");   \
  CAPSTAN_INTERNAL_NOTE_SECTION constexpr ::capstan::PluginNote kCapstanPluginNote =              \
      ::capstan::internal::MakePluginNote(kCapstanPluginInfo, ::capstan::kLayoutFingerprint);     \
  }                                                                                               \
  extern "C" CAPSTAN_EXPORT const ::capstan::PluginDescriptor capstan_plugin_descriptor;          \
  const ::capstan::PluginDescriptor capstan_plugin_descriptor {                                   \
    sizeof(::capstan::PluginDescriptor), ::capstan::kPluginContractVersion, kCapstanPluginInfo    \
  }
