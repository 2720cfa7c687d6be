#pragma once

/// The binary contract between a plugin and the manager.
///
/// CAPSTAN_PLUGIN writes two things into the plugin's .so:
/// - an ELF note (section .note.capstan) which the manager reads from the file, before it loads
///   anything: magic, contract version, toolchain and layout fingerprints, name, aliases and the
///   concurrency flag. A plugin that does not fit is refused with both sides' values;
/// - the one exported symbol, `capstan_plugin_descriptor`, with the entry point.
///
///     Status Setup(PluginContext& context) { ... }
///     CAPSTAN_PLUGIN(.name = "hello-controller", .aliases = {"hello"}, .setup = Setup);

#include <cstddef>
#include <cstdint>

#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

class PluginContext;

/// Goes up with every change of the contract.
inline constexpr uint32_t kPluginContractVersion = 1;

using PluginSetup = Status (*)(PluginContext& context);

/// What a plugin's author states. Every member but name and setup has a default.
struct PluginInfo {
  const char* name = nullptr;            ///< as `--controllers` knows it: "deployment-controller"
  const char* aliases[4] = {};           ///< other names for it
  PluginSetup setup = nullptr;
  const char* version = "";              ///< the plugin's own, for people
  bool off_by_default = false;           ///< true: `--controllers=*` does not include it
  /// The manager's flag for the number of workers, e.g. "concurrent-deployment-syncs"; "" = none.
  const char* concurrent_syncs_flag = "";
  int concurrent_syncs = 1;              ///< the flag's default
};

}  // namespace capstan
