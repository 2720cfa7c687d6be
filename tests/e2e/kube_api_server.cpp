#include "kube_api_server.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace capstan::e2e {
namespace {

constexpr char kAdminToken[] = "admin-token";

std::string LocalUrl(const std::string& scheme, int port) {
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

// kube-apiserver requires a key to sign service-account tokens, even when no token is requested.
void WriteSigningKey(const std::filesystem::path& path) {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool written = key != nullptr && file != nullptr &&
                       PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  if (file != nullptr) std::fclose(file);
  EVP_PKEY_free(key);
  if (!written) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

KubeApiServer::KubeApiServer(KubeApiServerOptions options) : options_(std::move(options)) {
  const std::vector<int> ports = FreePorts(3);
  etcd_url_ = LocalUrl("http", ports[0]);
  peer_url_ = LocalUrl("http", ports[1]);
  port_ = ports[2];
  WriteSigningKey(directory() / "service-account.key");
  WriteFile(directory() / "tokens.csv",
            std::string(kAdminToken) + ",admin,admin,\"system:masters\"\n");
  WriteKubeconfig();
  StartEtcd();
  if (options_.prepare) options_.prepare(etcd_url_);
  Start();
}

void KubeApiServer::StartEtcd() {
  std::vector<std::string> command = {ServerBinary("etcd"),
                                      "--data-dir=" + (directory() / "etcd").string(),
                                      "--listen-client-urls=" + etcd_url_,
                                      "--advertise-client-urls=" + etcd_url_,
                                      "--listen-peer-urls=" + peer_url_,
                                      "--initial-advertise-peer-urls=" + peer_url_,
                                      "--initial-cluster=default=" + peer_url_,
                                      "--unsafe-no-fsync"};
  command.insert(command.end(), options_.etcd_flags.begin(), options_.etcd_flags.end());
  etcd_ = std::make_unique<Process>(command, directory() / "etcd.log");
}

void KubeApiServer::Start() {
  const std::string key = (directory() / "service-account.key").string();
  std::vector<std::string> command = {
      ServerBinary("kube-apiserver"), "--etcd-servers=" + etcd_url_,
      "--secure-port=" + std::to_string(port_), "--bind-address=127.0.0.1",
      "--cert-dir=" + (directory() / "certificates").string(),
      "--token-auth-file=" + (directory() / "tokens.csv").string(), "--authorization-mode=RBAC",
      "--service-account-issuer=https://kubernetes.default.svc",
      "--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
      "--service-cluster-ip-range=10.0.0.0/16",
      // This plugin would wait for the default service account, which a controller creates.
      "--disable-admission-plugins=ServiceAccount"};
  command.insert(command.end(), options_.server_flags.begin(), options_.server_flags.end());
  server_ = std::make_unique<Process>(command, directory() / "kube-apiserver.log");
  AwaitReady({etcd_.get(), server_.get()});
}

void KubeApiServer::Stop() {
  server_->Kill(SIGTERM);
  // The server waits for clients that keep their connections. So clients see both a graceful
  // shutdown and a crash.
  if (!server_->Wait(Seconds(3))) server_->Kill(SIGKILL);
  server_.reset();
}

void KubeApiServer::WriteKubeconfig() {
  // At start the server writes its self-signed certificate, which is also the CA certificate.
  const std::string certificate = (directory() / "certificates" / "apiserver.crt").string();
  WriteFile(kubeconfig(),
            "apiVersion: v1\nkind: Config\ncurrent-context: e2e\n"
            "clusters:\n- name: e2e\n  cluster:\n    server: " +
                LocalUrl("https", port_) + "\n    certificate-authority: " + certificate +
                "\nusers:\n- name: admin\n  user:\n    token: " + kAdminToken +
                "\ncontexts:\n- name: e2e\n  context: {cluster: e2e, user: admin}\n");
}

std::unique_ptr<ApiServer> NewKubeApiServer(std::vector<std::string> flags) {
  return std::make_unique<KubeApiServer>(KubeApiServerOptions{.server_flags = std::move(flags)});
}

}  // namespace capstan::e2e
