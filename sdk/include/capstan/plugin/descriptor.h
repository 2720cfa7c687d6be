#pragma once

/// The binary contract between a plugin and the manager.
///
/// CAPSTAN_PLUGIN (capstan/plugin.h) writes two things into the plugin's .so:
/// - An ELF note (section .note.capstan, owner "Capstan"), which the manager reads from the file
///   before it loads anything. It holds the magic, contract version, toolchain and layout
///   fingerprints, name, aliases, concurrency flag and explained kinds. The manager refuses an
///   incompatible plugin and reports the values of both sides.
/// - The only exported symbol, `capstan_plugin_descriptor`, with the entry point.
///
///     Status Setup(PluginContext& context) { ... }
///     CAPSTAN_PLUGIN(.name = "hello-controller", .aliases = {"hello"}, .setup = Setup);

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan {

class Client;
struct Explanation;
struct NamespacedName;
class PluginContext;

/// Incremented with every change of the contract.
inline constexpr uint32_t kPluginContractVersion = 2;

using PluginSetup = Status (*)(PluginContext& context);

/// Explains why the object `name` does not match its spec, from the state in the API server.
/// `client` may have fewer permissions than a controller. The explanation omits data that cannot be
/// read and says so. NotFound if the object does not exist.
using ExplainFunction = Result<Explanation> (*)(const Client& client, const NamespacedName& name,
                                                WallTime now);

/// A kind that the plugin explains to `capstan why`, without a cache, a running controller or
/// Setup.
struct ExplainedKind {
  const char* kind = nullptr;      ///< "Deployment"
  const char* resource = nullptr;  ///< plural and group, as in kubectl: "deployments.apps"
  const char* short_name = "";     ///< as in kubectl: "deploy"; "" = none
  ExplainFunction explain = nullptr;
};

/// The plugin's properties, set by its author. All members except name and setup have a default.
struct PluginInfo {
  /// The name in `--controllers`: "deployment-controller". Lower-case letters, digits, '-' and '.'.
  const char* name = nullptr;
  const char* aliases[4] = {};  ///< alternative names
  PluginSetup setup = nullptr;
  const char* version = "";     ///< the plugin's version, for humans
  bool off_by_default = false;  ///< true: `--controllers=*` does not include it
  /// The manager's flag for the number of workers, e.g. "concurrent-deployment-syncs"; "" = none.
  const char* concurrent_syncs_flag = "";
  int concurrent_syncs = 1;  ///< the flag's default
  ExplainedKind explains[4] = {};
};

/// The exported symbol.
struct PluginDescriptor {
  uint32_t size = sizeof(PluginDescriptor);
  uint32_t contract_version = kPluginContractVersion;
  PluginInfo info;
};
inline constexpr char kPluginDescriptorSymbol[] = "capstan_plugin_descriptor";

/// The properties that must be equal in two binaries that exchange C++ objects.
struct ToolchainFingerprint {
  uint32_t compiler_abi = 0;      ///< __GXX_ABI_VERSION
  uint32_t libstdcxx = 0;         ///< major version; 0 = another standard library
  uint32_t cxx11_abi = 0;         ///< _GLIBCXX_USE_CXX11_ABI
  uint32_t debug_containers = 0;  ///< _GLIBCXX_DEBUG
  uint32_t pointer_bits = 0;
  uint32_t sanitizer = 0;  ///< 0 none, 1 address, 2 thread, 3 memory
  friend constexpr bool operator==(const ToolchainFingerprint&,
                                   const ToolchainFingerprint&) = default;
};

/// An ExplainedKind in the note.
struct PluginNoteKind {
  char kind[64] = {};  ///< "" = none
  char resource[64] = {};
  char short_name[64] = {};
};

/// The description of the ELF note: plain data without pointers, aligned to 4 bytes as notes are.
///
/// The first two members never move, so that any manager can report why it refuses a plugin.
struct PluginNoteDescription {
  char magic[8] = {};  ///< kPluginNoteMagic
  uint32_t contract_version = 0;
  uint32_t size = 0;  ///< size of this struct
  ToolchainFingerprint toolchain;
  uint32_t layout[2] = {};  ///< kLayoutFingerprint: high half, low half
  char name[64] = {};
  char aliases[4][64] = {};
  char version[64] = {};
  char concurrent_syncs_flag[64] = {};
  int32_t concurrent_syncs = 1;
  uint32_t off_by_default = 0;
  PluginNoteKind explains[4] = {};
};
static_assert(std::is_trivially_copyable_v<PluginNoteDescription> &&
              alignof(PluginNoteDescription) == 4);

inline constexpr char kPluginNoteMagic[8] = {'C', 'a', 'p', 'P', 'l', 'u', 'g', '\n'};
inline constexpr char kPluginNoteOwner[8] = "Capstan";
inline constexpr uint32_t kPluginNoteType = 1;

/// A whole ELF note: header (Elf64_Nhdr), owner, description.
struct PluginNote {
  uint32_t owner_size = sizeof(kPluginNoteOwner);
  uint32_t description_size = sizeof(PluginNoteDescription);
  uint32_t type = kPluginNoteType;
  char owner[8] = {'C', 'a', 'p', 's', 't', 'a', 'n', '\0'};
  PluginNoteDescription description;
};
static_assert(sizeof(PluginNote) == 20 + sizeof(PluginNoteDescription));

namespace internal {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr uint32_t kSanitizer = 1;
#elif defined(__SANITIZE_THREAD__)
inline constexpr uint32_t kSanitizer = 2;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr uint32_t kSanitizer = 1;
#elif __has_feature(thread_sanitizer)
inline constexpr uint32_t kSanitizer = 2;
#elif __has_feature(memory_sanitizer)
inline constexpr uint32_t kSanitizer = 3;
#else
inline constexpr uint32_t kSanitizer = 0;
#endif
#else
inline constexpr uint32_t kSanitizer = 0;
#endif

constexpr ToolchainFingerprint CurrentToolchain() {
  ToolchainFingerprint toolchain;
  toolchain.compiler_abi = __GXX_ABI_VERSION;
#ifdef _GLIBCXX_RELEASE
  toolchain.libstdcxx = _GLIBCXX_RELEASE;
  toolchain.cxx11_abi = _GLIBCXX_USE_CXX11_ABI;
#endif
#ifdef _GLIBCXX_DEBUG
  toolchain.debug_containers = 1;
#endif
  toolchain.pointer_bits = sizeof(void*) * 8;
  toolchain.sanitizer = kSanitizer;
  return toolchain;
}

/// Fails to compile when `text` is too long for the note.
template <size_t N>
constexpr void CopyText(char (&to)[N], const char* text) {
  for (size_t i = 0; text != nullptr && text[i] != '\0'; ++i) {
    if (i + 1 >= N) throw "a text of CAPSTAN_PLUGIN is longer than 63 bytes";
    to[i] = text[i];
  }
}

constexpr PluginNote MakePluginNote(const PluginInfo& info, uint64_t layout) {
  PluginNote note;
  PluginNoteDescription& description = note.description;
  for (size_t i = 0; i < sizeof(kPluginNoteMagic); ++i) description.magic[i] = kPluginNoteMagic[i];
  description.contract_version = kPluginContractVersion;
  description.size = sizeof(PluginNoteDescription);
  description.toolchain = CurrentToolchain();
  description.layout[0] = static_cast<uint32_t>(layout >> 32);
  description.layout[1] = static_cast<uint32_t>(layout);
  CopyText(description.name, info.name);
  for (size_t i = 0; i < 4; ++i) CopyText(description.aliases[i], info.aliases[i]);
  CopyText(description.version, info.version);
  CopyText(description.concurrent_syncs_flag, info.concurrent_syncs_flag);
  description.concurrent_syncs = info.concurrent_syncs;
  description.off_by_default = info.off_by_default ? 1 : 0;
  for (size_t i = 0; i < 4; ++i) {
    CopyText(description.explains[i].kind, info.explains[i].kind);
    CopyText(description.explains[i].resource, info.explains[i].resource);
    CopyText(description.explains[i].short_name, info.explains[i].short_name);
  }
  return note;
}

constexpr bool IsPluginName(const char* name) {
  if (name == nullptr || *name == '\0' || *name == '-') return false;
  for (; *name != '\0'; ++name) {
    const bool allowed = (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') ||
                         *name == '-' || *name == '.';
    if (!allowed) return false;
  }
  return true;
}

/// Returns whether each entry is empty or complete, with no entry after an empty one.
constexpr bool AreExplainedKinds(const ExplainedKind (&kinds)[4]) {
  bool ended = false;
  for (const ExplainedKind& kind : kinds) {
    const bool is_none = kind.kind == nullptr && kind.resource == nullptr && !kind.explain;
    const bool is_whole = kind.kind != nullptr && *kind.kind != '\0' && kind.explain &&
                          IsPluginName(kind.resource) &&
                          (*kind.short_name == '\0' || IsPluginName(kind.short_name));
    if (!is_none && (!is_whole || ended)) return false;
    ended = is_none;
  }
  return true;
}

}  // namespace internal
}  // namespace capstan

#if defined(__has_attribute)
#if __has_attribute(retain)
#define CAPSTAN_INTERNAL_KEEP used, retain
#endif
#endif
#ifndef CAPSTAN_INTERNAL_KEEP
#define CAPSTAN_INTERNAL_KEEP used
#endif
// AddressSanitizer would otherwise put a red zone after the note.
#if defined(__clang__)
#define CAPSTAN_INTERNAL_NO_RED_ZONE __attribute__((no_sanitize("address")))
#else
#define CAPSTAN_INTERNAL_NO_RED_ZONE
#endif

/// The attributes of the note variable.
#define CAPSTAN_INTERNAL_NOTE_SECTION                                          \
  __attribute__((section(".note.capstan"), aligned(4), CAPSTAN_INTERNAL_KEEP)) \
  CAPSTAN_INTERNAL_NO_RED_ZONE
