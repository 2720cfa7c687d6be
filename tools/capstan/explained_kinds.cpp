#include "capstan/explained_kinds.h"

#include <algorithm>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/text/ascii.h"
#include "plugins/plugin_loader.h"

namespace capstan::tool {
namespace {

bool Means(std::string_view word, const manager::ExplainedKindName& kind) {
  const size_t dot = std::min(kind.resource.find('.'), kind.resource.size());
  const std::string group = kind.resource.substr(dot);  // including its dot
  std::string name = text::Lower(word);
  if (!group.empty() && name.ends_with(group)) name.resize(name.size() - group.size());
  if (name.empty()) return false;
  return name == kind.resource.substr(0, dot) || name == text::Lower(kind.kind) ||
         name == kind.short_name;
}

}  // namespace

Result<ExplainedKinds> ExplainedKinds::Read(const std::filesystem::path& folder) {
  auto catalog = manager::ReadPluginCatalog(folder);
  if (!catalog) return catalog.status();
  ExplainedKinds kinds;
  kinds.folder_ = folder;
  for (const manager::PluginManifest& plugin : catalog->plugins) {
    for (size_t i = 0; i < plugin.explains.size(); ++i) kinds.kinds_.push_back({plugin, i});
  }
  return kinds;
}

Result<ExplainedKinds::Kind> ExplainedKinds::Find(std::string_view word) const {
  std::string known;
  for (const Kind& kind : kinds_) {
    if (Means(word, kind.names())) return kind;
    known += (known.empty() ? "" : ", ") + text::Lower(kind.names().kind);
  }
  return Status::InvalidArgument(
      Format("\"{}\": no plugin in {} explains this kind; known kinds: {}", word, folder_.string(),
             known.empty() ? "none" : known));
}

Result<Explanation> ExplainFromApi(const ExplainedKinds::Kind& kind, const Client& client,
                                   const NamespacedName& name, WallTime now) {
  const auto plugin = manager::LoadPlugin(kind.plugin);
  if (!plugin) return plugin.status();
  return manager::CallExplain(*plugin, kind.index, client, name, now);
}

}  // namespace capstan::tool
