#include "capstan/why.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include <capstan/client/client.h>
#include <capstan/controller/explainer.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"
#include "base/text/percent.h"
#include "capstan/explained_kinds.h"
#include "capstan/leading_manager.h"

namespace capstan::tool {
namespace {

// Timeout for the manager. The API server may know it by an address that does not respond.
constexpr Duration kTimeout = std::chrono::seconds(3);

/// Finds the API server as kubectl does.
Result<RestConfig> FindApiServer(const WhyOptions& options) {
  KubeconfigOptions kubeconfig{.paths = {}, .context = options.context, .master = {}};
  if (!options.kubeconfig.empty()) kubeconfig.paths = {options.kubeconfig};
  auto config = LoadKubeconfig(kubeconfig);
  if (config || !options.kubeconfig.empty() || !options.context.empty()) return config;
  auto in_cluster = InClusterConfig();
  return in_cluster ? in_cluster : config;
}

// A response may come from an impostor, so control characters must not reach the terminal.
std::string Printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return (c < ' ' && c != '\n') || c == 0x7f; },
      ' ');
  return text;
}

class WhyCommand {
 public:
  WhyCommand(const WhyOptions& options, const Dependencies& dependencies)
      : options_(options), dependencies_(dependencies) {}

  Result<std::string> Run() {
    const auto kinds = ExplainedKinds::Read(options_.plugin_dir.empty()
                                                ? manager::DefaultPluginDirectory()
                                                : std::filesystem::path(options_.plugin_dir));
    if (!kinds) return kinds.status();
    auto kind = kinds->Find(options_.kind);
    if (!kind) return kind.status();
    kind_ = *std::move(kind);
    return options_.manager.empty() || options_.manager == kNoManager ? AskApiServer()
                                                                      : AskManager();
  }

 private:
  Result<std::string> AskApiServer() {
    const auto config = FindApiServer(options_);
    if (!config) return config.status();
    const NamespacedName name = NameIn(config->namespace_);
    if (options_.manager.empty()) {
      // Errors are ignored here: an explanation from the API server's state is nearly as good.
      const auto client =
          NewClient(*config, std::min<Duration>(options_.request_timeout, kTimeout));
      if (!client) return client.status();
      if (auto answer = AskLeadingManager(*client, PathOf(name))) {
        return Printable(*std::move(answer));
      }
    }
    const auto client = NewClient(*config, options_.request_timeout);
    if (!client) return client.status();
    const WallTime now = dependencies_.runtime.clock().Now();
    auto explanation = ExplainFromApi(kind_, *client, name, now);
    if (!explanation) return Failed(name, config->server, explanation.status());
    const ExplainedObject object{kind_.names().kind, name, *std::move(explanation)};
    return options_.json ? ExplanationJson(object) + "\n" : ExplanationText(object, now);
  }

  Result<std::string> AskManager() {
    // The kubeconfig is needed only for the namespace of its context, if none was given.
    std::string context_namespace;
    if (options_.namespace_.empty()) {
      if (const auto kubeconfig = FindApiServer(options_)) {
        context_namespace = kubeconfig->namespace_;
      } else if (!options_.kubeconfig.empty()) {
        return kubeconfig.status();
      }
    }
    const NamespacedName name = NameIn(context_namespace);
    RestConfig config;
    config.server = options_.manager;
    config.tls.ca_file = options_.certificate_authority;
    config.tls.insecure_skip_verify = options_.insecure_skip_tls_verify;
    config.bearer_token_file = options_.token_file;
    const auto client = NewClient(config, options_.request_timeout);
    if (!client) return client.status();
    auto answer = client->GetPath(PathOf(name));
    if (!answer) return Failed(name, options_.manager, answer.status());
    return Printable(*std::move(answer));
  }

  std::string PathOf(const NamespacedName& name) const {
    std::string path = "/whyz?for=" + KindWord() + "/" +
                       text::PercentEncoded(name.namespace_, "/") + "/" +
                       text::PercentEncoded(name.name, "/");
    if (options_.json) path += "&format=json";
    return path;
  }

  Result<Client> NewClient(const RestConfig& config, Duration timeout) const {
    auto transport = dependencies_.new_transport(config, dependencies_.runtime);
    if (!transport) return transport.status();
    ClientOptions client;
    client.qps = 0;
    client.timeout = timeout;
    return Client(std::shared_ptr<Transport>(*std::move(transport)), dependencies_.runtime,
                  std::move(client))
        .WithUserAgent("capstan-why");
  }

  NamespacedName NameIn(const std::string& context_namespace) const {
    if (!options_.namespace_.empty()) return {options_.namespace_, options_.name};
    return {context_namespace.empty() ? "default" : context_namespace, options_.name};
  }

  /// The kind in lower case: "deployment".
  std::string KindWord() const { return text::Lower(kind_.names().kind); }

  Status Failed(const NamespacedName& name, const std::string& server, const Status& status) const {
    const std::string what = Format("{}/{} in {}", KindWord(), name.name, name.namespace_);
    if (status.IsTransport()) {
      return status.WithContext(Format("{}: {} cannot be reached", what, server));
    }
    return status.WithContext(Format("{}: {} says", what, server));
  }

  const WhyOptions& options_;
  const Dependencies& dependencies_;
  ExplainedKinds::Kind kind_;
};

}  // namespace

Result<std::string> Why(const WhyOptions& options, const Dependencies& dependencies) {
  return WhyCommand(options, dependencies).Run();
}

}  // namespace capstan::tool
