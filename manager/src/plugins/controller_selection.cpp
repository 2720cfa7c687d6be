#include "plugins/controller_selection.h"

#include <algorithm>
#include <string_view>

#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

bool Names(const PluginManifest& plugin, std::string_view name) {
  return plugin.name == name ||
         std::find(plugin.aliases.begin(), plugin.aliases.end(), name) != plugin.aliases.end();
}

std::string KnownNames(const std::vector<PluginManifest>& known) {
  if (known.empty()) return "none, as the plugin directory contains no plugin";
  std::string text;
  for (const PluginManifest& plugin : known) {
    text += (text.empty() ? "" : ", ") + plugin.name;
    for (const std::string& alias : plugin.aliases) {
      text += (&alias == &plugin.aliases.front() ? " (" : ", ") + alias;
    }
    if (!plugin.aliases.empty()) text += ")";
  }
  return text;
}

}  // namespace

Status ValidateSelection(const std::vector<std::string>& controllers,
                         const std::vector<PluginManifest>& known) {
  for (const std::string& entry : controllers) {
    if (entry == "*") continue;
    const std::string_view name = std::string_view(entry).substr(entry.starts_with('-') ? 1 : 0);
    const bool is_known = std::any_of(known.begin(), known.end(),
                                      [&](const auto& plugin) { return Names(plugin, name); });
    if (is_known) continue;
    return Status::InvalidArgument(
        Format("flag --controllers: unknown controller \"{}\"; known controllers: {}", name,
               KnownNames(known)));
  }
  return Status::Ok();
}

bool IsSelected(const PluginManifest& plugin, const std::vector<std::string>& controllers) {
  bool all = false;
  for (const std::string& entry : controllers) {
    if (Names(plugin, entry)) return true;
    if (entry.starts_with('-') && Names(plugin, std::string_view(entry).substr(1))) return false;
    all = all || entry == "*";
  }
  return all && !plugin.off_by_default;
}

std::string SelectionHelp(const std::vector<PluginManifest>& known) {
  std::string text = "\nControllers:\n\n";
  for (const PluginManifest& plugin : known) {
    text += "      " + KnownNames({plugin});
    if (plugin.off_by_default) text += ", off by default";
    text += "\n";
  }
  return known.empty() ? text + "      " + KnownNames(known) + "\n" : text;
}

}  // namespace capstan::manager
