#pragma once

/// Reads the ELF note that CAPSTAN_PLUGIN adds to a shared object, without loading the object. All
/// data from the file is validated before use.

#include <filesystem>
#include <optional>
#include <string>

#include <capstan/plugin/descriptor.h>
#include <capstan/runtime/status.h>

namespace capstan::manager {

/// Returns the description from the note. Returns nullopt if the file is a valid shared object for
/// this machine without such a note. The error names the file and the problem: unsafe write
/// permissions, not a shared object, a truncated file, or a note that does not match this manager.
Result<std::optional<PluginNoteDescription>> ReadPluginNote(const std::filesystem::path& file);

/// Whether a plugin with this note may be loaded into this process. The error shows the values of
/// both sides.
Status CheckPluginNote(const PluginNoteDescription& note);

/// Formats a fingerprint: "g++ ABI 1017, libstdc++ 12 (C++11 ABI), 64 bit, no sanitizer".
std::string ToText(const ToolchainFingerprint& toolchain);

}  // namespace capstan::manager
