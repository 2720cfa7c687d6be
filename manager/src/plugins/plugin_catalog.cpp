#include "plugins/plugin_catalog.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include <capstan/runtime/format.h>

#include "plugins/elf_note.h"

namespace capstan::manager {
namespace {

namespace fs = std::filesystem;

Status CheckDirectory(const fs::path& directory) {
  struct stat attributes {};
  if (stat(directory.c_str(), &attributes) != 0) {
    return Status::InvalidArgument(Format("plugin directory {}: {}", directory.string(),
                                          std::generic_category().message(errno)));
  }
  if (!S_ISDIR(attributes.st_mode)) {
    return Status::InvalidArgument(
        Format("plugin directory {}: is not a directory", directory.string()));
  }
  if ((attributes.st_mode & S_IWOTH) != 0) {
    return Status::InvalidArgument(
        Format("plugin directory {}: is world-writable, so nothing is loaded from it; remove the "
               "permission (chmod o-w)",
               directory.string()));
  }
  return Status::Ok();
}

Result<std::vector<fs::path>> SharedObjectsIn(const fs::path& directory) {
  if (Status status = CheckDirectory(directory); !status.ok()) return status;
  std::vector<fs::path> files;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".so") files.push_back(fs::absolute(entry->path()));
  }
  if (error) {
    return Status::InvalidArgument(
        Format("plugin directory {}: {}", directory.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<PluginManifest> ManifestOf(const fs::path& file, const PluginNoteDescription& note) {
  PluginManifest manifest{.file = file,
                          .name = note.name,
                          .aliases = {},
                          .version = note.version,
                          .concurrent_syncs_flag = note.concurrent_syncs_flag,
                          .concurrent_syncs = note.concurrent_syncs,
                          .off_by_default = note.off_by_default != 0,
                          .explains = {}};
  for (const auto& alias : note.aliases) {
    if (alias[0] != '\0') manifest.aliases.emplace_back(alias);
  }
  for (const PluginNoteKind& kind : note.explains) {
    if (kind.kind[0] == '\0') break;
    manifest.explains.push_back({kind.kind, kind.resource, kind.short_name});
  }
  std::vector<std::string> names = manifest.aliases;
  names.push_back(manifest.name);
  if (!manifest.concurrent_syncs_flag.empty()) names.push_back(manifest.concurrent_syncs_flag);
  for (const std::string& name : names) {
    if (!internal::IsPluginName(name.c_str())) {
      return Status::InvalidArgument(Format(
          "its note has the name \"{}\"; names consist of lower-case letters, digits, '-' and '.'",
          name));
    }
  }
  if (manifest.concurrent_syncs < 1) {
    return Status::InvalidArgument(
        Format("its note has {} concurrent syncs", manifest.concurrent_syncs));
  }
  return manifest;
}

/// Adds one defect per name that two plugins both claim.
void FindClashes(const std::vector<PluginManifest>& plugins, std::vector<std::string>& defects) {
  std::map<std::string, const PluginManifest*> names;
  std::map<std::string, const PluginManifest*> flags;
  std::map<std::string, const PluginManifest*> kinds;
  const auto claim = [&](std::map<std::string, const PluginManifest*>& taken, const char* what,
                         const std::string& name, const PluginManifest& plugin) {
    const auto [owner, fresh] = taken.try_emplace(name, &plugin);
    if (fresh) return;
    defects.push_back(Format("plugins {} and {}: both have the {} \"{}\"; remove one of them",
                             owner->second->file.string(), plugin.file.string(), what, name));
  };
  for (const PluginManifest& plugin : plugins) {
    claim(names, "name", plugin.name, plugin);
    for (const std::string& alias : plugin.aliases) claim(names, "name or alias", alias, plugin);
    if (!plugin.concurrent_syncs_flag.empty()) {
      claim(flags, "flag", plugin.concurrent_syncs_flag, plugin);
    }
    for (const ExplainedKindName& kind : plugin.explains) {
      claim(kinds, "explained kind", kind.resource, plugin);
    }
  }
}

}  // namespace

Result<PluginCatalog> ReadPluginCatalog(const fs::path& directory) {
  auto files = SharedObjectsIn(directory);
  if (!files) return files.status();
  PluginCatalog catalog;
  std::vector<std::string> defects;
  for (const fs::path& file : *files) {
    auto note = ReadPluginNote(file);
    if (!note) {
      defects.push_back(note.status().message());
      continue;
    }
    if (!note->has_value()) {
      catalog.others.push_back(file);
      continue;
    }
    Status status = CheckPluginNote(**note);
    if (status.ok()) {
      auto manifest = ManifestOf(file, **note);
      status = manifest.status();
      if (manifest) catalog.plugins.push_back(*std::move(manifest));
    }
    if (!status.ok()) defects.push_back("plugin " + file.string() + ": " + status.message());
  }
  FindClashes(catalog.plugins, defects);
  if (defects.empty()) return catalog;
  std::string message;
  for (const std::string& defect : defects) message += (message.empty() ? "" : "\n") + defect;
  return Status::InvalidArgument(std::move(message));
}

fs::path DefaultPluginDirectory() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return "lib/capstan/plugins";
  return (executable.parent_path().parent_path() / "lib" / "capstan" / "plugins");
}

}  // namespace capstan::manager
