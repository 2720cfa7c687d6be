#pragma once

#include <capstan/plugin.h>

// Builds a plugin from parts, each of which may be broken. CAPSTAN_PLUGIN would not compile some of
// them.
#define CAPSTAN_BROKEN_NOTE(...)                                                        \
  namespace {                                                                           \
  constexpr capstan::PluginNote MakeBrokenNote() {                                      \
    capstan::PluginNote note =                                                          \
        capstan::internal::MakePluginNote(kInfo, capstan::kLayoutFingerprint);          \
    __VA_ARGS__;                                                                        \
    return note;                                                                        \
  }                                                                                     \
  CAPSTAN_INTERNAL_NOTE_SECTION constexpr capstan::PluginNote kNote = MakeBrokenNote(); \
  }

#define CAPSTAN_BROKEN_DESCRIPTOR(...)                                                 \
  extern "C" CAPSTAN_EXPORT const capstan::PluginDescriptor capstan_plugin_descriptor; \
  const capstan::PluginDescriptor capstan_plugin_descriptor{__VA_ARGS__};

namespace {

inline capstan::Status SetUpNothing(capstan::PluginContext&) { return capstan::Status::Ok(); }

}  // namespace
