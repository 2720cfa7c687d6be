#pragma once

/// Reads the note that CAPSTAN_PLUGIN left in a shared object, without loading it. Nothing of the
/// file is believed before it is checked.

#include <filesystem>
#include <optional>
#include <string>

#include <capstan/plugin/descriptor.h>
#include <capstan/runtime/status.h>

namespace capstan::manager {

/// The description; nullopt when the file is a sound shared object for this machine without such a
/// note. The error names the file and what is wrong with it: who may write it, what it is instead
/// of a shared object, where it is torn, or whose note does not fit this manager.
Result<std::optional<PluginNoteDescription>> ReadPluginNote(const std::filesystem::path& file);

/// Whether a plugin with this note may be loaded into this process. The error has both sides'
/// values.
Status CheckPluginNote(const PluginNoteDescription& note);

/// "g++ ABI 1017, libstdc++ 12 (C++11 ABI), 64 bit, no sanitizer".
std::string ToText(const ToolchainFingerprint& toolchain);

}  // namespace capstan::manager
