#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "base/text/joined.h"
#include "client/auth/kubeconfig_entries.h"
#include "client/auth/kubeconfig_file.h"
#include "client/http/tls_context.h"
#include "client/http/url.h"

namespace capstan {
namespace client {
namespace {

struct Sources {
  std::vector<std::string> paths;
  bool must_exist = false;  // applies to each path
  std::string name;         // for messages
};

std::vector<std::string> SplitList(std::string_view list) {
  std::vector<std::string> paths;
  while (!list.empty()) {
    const size_t colon = list.find(':');
    std::string path(list.substr(0, colon));
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(std::move(path));
    }
    list = colon == std::string_view::npos ? "" : list.substr(colon + 1);
  }
  return paths;
}

Sources FindSources(const KubeconfigOptions& options) {
  if (!options.paths.empty()) return {options.paths, true, "the given files"};
  if (const char* const list = std::getenv("KUBECONFIG"); list && *list) {
    return {SplitList(list), false, "$KUBECONFIG"};
  }
  if (const char* const home = std::getenv("HOME"); home && *home) {
    return {{std::string(home) + "/.kube/config"}, false, "$HOME/.kube/config"};
  }
  return {{}, false, "$KUBECONFIG and $HOME"};
}

Result<Kubeconfig> LoadMerged(const Sources& sources, std::vector<std::string>& found) {
  Kubeconfig merged;
  for (const std::string& path : sources.paths) {
    std::error_code error;
    if (!sources.must_exist && !std::filesystem::exists(path, error) && !error) continue;
    const Result<std::string> text = io::ReadWholeFile(path);
    if (!text) return text.status().WithContext("kubeconfig");
    Result<Kubeconfig> config = ParseKubeconfig(*text, path);
    if (!config) return config.status();
    merged.Merge(*config);
    found.push_back(path);
  }
  return merged;
}

// Resolves a context: its cluster and user, with the entries that they name.
class ContextResolver {
 public:
  ContextResolver(const Kubeconfig& config, std::string files, std::string master)
      : config_(config), files_(std::move(files)), master_(std::move(master)) {}

  Result<RestConfig> Resolve(const std::string& context_name) {
    RestConfig rest;
    std::string cluster, user;
    if (!context_name.empty()) {
      const auto context = config_.contexts.find(context_name);
      if (context == config_.contexts.end()) return NoContext(context_name);
      FieldReader reader(context->second, Format("contexts[\"{}\"]", context_name));
      cluster = reader.String("cluster");
      user = reader.String("user");
      rest.namespace_ = reader.String("namespace");
      CheckReference(reader, "cluster", cluster, config_.clusters);
      CheckReference(reader, "user", user, config_.users);
      if (cluster.empty() && master_.empty()) reader.Fail("cluster", "must be set");
      if (!reader.status().ok()) return reader.status();
    }
    std::string exec_config_json;
    Status status = UseCluster(cluster, rest, exec_config_json);
    if (status.ok() && !user.empty()) {
      status = ReadUser(user, config_.users.at(user), exec_config_json, rest);
    }
    if (!status.ok()) return status;
    return rest;
  }

 private:
  static void CheckReference(FieldReader& reader, const char* field, const std::string& name,
                             const KubeconfigEntries& entries) {
    if (name.empty() || entries.contains(name)) return;
    std::vector<std::string> known;
    for (const auto& [entry, body] : entries) known.push_back(entry);
    reader.Fail(field, Format("unknown {} \"{}\" (known: {})", field, name,
                              known.empty() ? "none" : text::Joined(known, ", ")));
  }

  Status NoContext(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& [entry, body] : config_.contexts) known.push_back(entry);
    return Status::InvalidArgument(Format("kubeconfig {}: unknown context \"{}\" (known: {})",
                                          files_, name,
                                          known.empty() ? "none" : text::Joined(known, ", ")));
  }

  Status UseCluster(const std::string& cluster, RestConfig& rest, std::string& exec_config_json) {
    if (!cluster.empty()) {
      return ReadCluster(cluster, config_.clusters.at(cluster), master_, rest, exec_config_json);
    }
    rest.server = master_;
    return Status::Ok();
  }

  const Kubeconfig& config_;
  const std::string files_;
  const std::string master_;
};

Result<RestConfig> Load(const KubeconfigOptions& options) {
  const Sources sources = FindSources(options);
  std::vector<std::string> found;
  const Result<Kubeconfig> config = LoadMerged(sources, found);
  if (!config) return config.status();
  const std::string& context = options.context.empty() ? config->current_context : options.context;
  if (options.master.empty()) {
    if (found.empty()) {
      return Status::InvalidArgument(Format("no kubeconfig found in {}{}{}", sources.name,
                                            sources.paths.empty() ? "" : ": ",
                                            text::Joined(sources.paths, ", ")));
    }
    if (config->empty()) {
      return Status::InvalidArgument(
          Format("kubeconfig {}: contains no configuration (no clusters, users or contexts)",
                 text::Joined(found, ", ")));
    }
    if (context.empty()) {
      return Status::InvalidArgument(
          Format("kubeconfig {}: current-context: must be set when no context is chosen",
                 text::Joined(found, ", ")));
    }
  }
  Result<RestConfig> rest =
      ContextResolver(*config, text::Joined(found, ", "), options.master).Resolve(context);
  if (!rest) return rest;
  // Only now is it known whether an address without a scheme means https.
  const Result<ServerUrl> url = ParseServerUrl(rest->server, NamesTls(rest->tls));
  if (!url) return url.status().WithContext(options.master.empty() ? "server" : "master");
  rest->server = url->ToString();
  return rest;
}

}  // namespace
}  // namespace client

Result<RestConfig> LoadKubeconfig(const KubeconfigOptions& options) {
  try {
    return client::Load(options);
  } catch (const std::exception& exception) {
    return Status::InvalidArgument(Format("kubeconfig: {}", exception.what()));
  }
}

}  // namespace capstan
