#pragma once

/// RestConfig: where an API server is and how to prove who we are, and its sources: kubeconfig
/// files and the in-cluster service account.
///
/// Sources: https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/,
/// https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ and
/// https://kubernetes.io/docs/reference/config-api/client-authentication.v1/.
///
/// Every defect is an InvalidArgument that names the file, the entry and the field, e.g.
/// "kubeconfig /etc/k: users[\"admin\"].client-certificate-data: not base64".

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// A credential plugin (client.authentication.k8s.io/v1 and v1beta1).
struct ExecConfig {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  bool provide_cluster_info = false;
  std::string interactive_mode;  ///< "Never", "IfAvailable" or "Always"
  /// The cluster's `client.authentication.k8s.io/exec` extension as JSON, or "".
  std::string cluster_config_json;
};

struct TlsConfig {
  std::string ca_pem;           ///< certificates to trust; "" = the system's
  std::string client_cert_pem;  ///< with client_key_pem: the client certificate
  std::string client_key_pem;
  /// Files are re-read when they change; each wins over its inline twin when that one is empty.
  std::string ca_file, client_cert_file, client_key_file;
  std::string server_name;  ///< `tls-server-name`: the name to send and to verify; "" = the host
  bool insecure_skip_verify = false;
};

struct RestConfig {
  std::string server;  ///< "https://host:port[/path]"
  TlsConfig tls;
  std::string bearer_token;
  std::string bearer_token_file;  ///< re-read when it changes; wins over bearer_token
  std::string username, password;
  std::optional<ExecConfig> exec;
  std::string impersonate_user, impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> impersonate_extra;
  /// "http://[user:password@]host:port"; "" = HTTPS_PROXY (HTTP_PROXY for an http server) and
  /// NO_PROXY of the environment. Proxies over TLS and SOCKS are not supported.
  std::string proxy_url;
  std::string namespace_;  ///< the context's namespace, "" when it names none
  std::string user_agent;  ///< "" = DefaultUserAgent()
};

struct KubeconfigOptions {
  /// Files in order of precedence. Empty: $KUBECONFIG (a list), else $HOME/.kube/config.
  std::vector<std::string> paths;
  std::string context;  ///< "" = current-context
  std::string master;   ///< `--master`: overrides the cluster's server; "" = does not
};

/// Loads and merges kubeconfig files: the first file to set a value wins, and relative paths in a
/// file are relative to it.
CAPSTAN_EXPORT Result<RestConfig> LoadKubeconfig(const KubeconfigOptions& options);

/// The service account of the pod that this process runs in. InvalidArgument that names what is
/// missing when it runs in none.
CAPSTAN_EXPORT Result<RestConfig> InClusterConfig();

/// "capstan-controller-manager/v0.1.0 (linux/amd64) capstan/<commit>"; `component` replaces the
/// name of the executable.
CAPSTAN_EXPORT std::string DefaultUserAgent(std::string_view component = {});

/// HTTP(S) to the server that `config` names. Everything that can be checked beforehand (URL,
/// certificates, keys, files) is, so that a defect is an error here and not at the first request.
CAPSTAN_EXPORT Result<std::unique_ptr<Transport>> NewHttpTransport(const RestConfig& config,
                                                                   Runtime& runtime);

}  // namespace capstan
