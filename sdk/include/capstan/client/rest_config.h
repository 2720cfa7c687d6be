#pragma once

/// RestConfig: the address of an API server and the client's credentials. It is loaded from
/// kubeconfig files or the in-cluster service account.
///
/// Sources: https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/,
/// https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ and
/// https://kubernetes.io/docs/reference/config-api/client-authentication.v1/.
///
/// Every defect is an InvalidArgument error that names the file, the entry and the field, e.g.
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
  std::string ca_pem;           ///< trusted certificates; "" = those of the system
  std::string client_cert_pem;  ///< with client_key_pem: the client certificate
  std::string client_key_pem;
  /// Files are re-read when they change. A file takes effect when its inline counterpart is empty.
  std::string ca_file, client_cert_file, client_key_file;
  std::string server_name;  ///< `tls-server-name`: the name to send and to verify; "" = the host
  bool insecure_skip_verify = false;
};

struct RestConfig {
  std::string server;  ///< "https://host:port[/path]"
  TlsConfig tls;
  std::string bearer_token;
  std::string bearer_token_file;  ///< re-read when it changes; takes precedence over bearer_token
  std::string username, password;
  std::optional<ExecConfig> exec;
  std::string impersonate_user, impersonate_uid;
  std::vector<std::string> impersonate_groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> impersonate_extra;
  /// "http://[user:password@]host:port". "" = the environment's HTTPS_PROXY (HTTP_PROXY for an http
  /// server) and NO_PROXY. Proxies over TLS and SOCKS proxies are not supported.
  std::string proxy_url;
  std::string namespace_;  ///< the context's namespace; "" if it has none
  std::string user_agent;  ///< "" = DefaultUserAgent()
};

struct KubeconfigOptions {
  /// Files in order of precedence. If empty: $KUBECONFIG (a list), otherwise $HOME/.kube/config.
  std::vector<std::string> paths;
  std::string context;  ///< "" = current-context
  std::string master;   ///< `--master`: overrides the cluster's server unless ""
};

/// Loads and merges kubeconfig files. The first file that sets a value wins. Relative paths are
/// relative to the file that contains them.
CAPSTAN_EXPORT Result<RestConfig> LoadKubeconfig(const KubeconfigOptions& options);

/// Loads the service account of the pod in which this process runs. Outside a pod it returns
/// InvalidArgument, which names what is missing.
CAPSTAN_EXPORT Result<RestConfig> InClusterConfig();

/// For example "capstan-controller-manager/v0.1.0 (linux/amd64) capstan/<commit>". `component`
/// replaces the name of the executable.
CAPSTAN_EXPORT std::string DefaultUserAgent(std::string_view component = {});

/// Creates an HTTP(S) transport to the server in `config`. Validates the URL, certificates, keys
/// and files, so that a defect is reported here and not at the first request.
CAPSTAN_EXPORT Result<std::unique_ptr<Transport>> NewHttpTransport(const RestConfig& config,
                                                                   Runtime& runtime);

}  // namespace capstan
