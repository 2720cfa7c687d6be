#include "api_server.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <utility>

namespace capstan::e2e {
namespace {

constexpr char kAdminToken[] = "admin-token";

std::string ServerBinary(const std::string& name) {
  const char* set = std::getenv("CAPSTAN_E2E_SERVERS");
  const std::filesystem::path build = CAPSTAN_BUILD_DIR;
  return (set != nullptr ? std::filesystem::path(set) : build.parent_path() / "servers") / name;
}

std::string LocalUrl(const std::string& scheme, int port) {
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

// kube-apiserver wants a key to sign service-account tokens with, though nobody here asks for one.
void WriteSigningKey(const std::filesystem::path& path) {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool written = key != nullptr && file != nullptr &&
                       PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  if (file != nullptr) std::fclose(file);
  EVP_PKEY_free(key);
  if (!written) throw std::runtime_error("cannot write " + path.string());
}

std::unique_ptr<ApiServer>& SharedSlot() {
  static std::unique_ptr<ApiServer> slot;
  return slot;
}

}  // namespace

ApiServer& ApiServer::Shared() {
  if (!SharedSlot()) SharedSlot() = std::make_unique<ApiServer>();
  return *SharedSlot();
}

void ApiServer::EndShared() { SharedSlot().reset(); }

ApiServer::ApiServer() {
  const std::vector<int> ports = FreePorts(3);
  etcd_url_ = LocalUrl("http", ports[0]);
  port_ = ports[2];
  url_ = LocalUrl("https", port_);
  WriteSigningKey(directory() / "service-account.key");
  WriteFile(directory() / "tokens.csv",
            std::string(kAdminToken) + ",admin,admin,\"system:masters\"\n");
  WriteKubeconfig();

  const std::string peer_url = LocalUrl("http", ports[1]);
  etcd_ = std::make_unique<Process>(
      std::vector<std::string>{
          ServerBinary("etcd"), "--data-dir=" + (directory() / "etcd").string(),
          "--listen-client-urls=" + etcd_url_, "--advertise-client-urls=" + etcd_url_,
          "--listen-peer-urls=" + peer_url, "--initial-advertise-peer-urls=" + peer_url,
          "--initial-cluster=default=" + peer_url, "--unsafe-no-fsync"},
      directory() / "etcd.log");
  Start();
}

ApiServer::~ApiServer() = default;

void ApiServer::Start() {
  const std::string key = (directory() / "service-account.key").string();
  server_ = std::make_unique<Process>(
      std::vector<std::string>{
          ServerBinary("kube-apiserver"), "--etcd-servers=" + etcd_url_,
          "--secure-port=" + std::to_string(port_), "--bind-address=127.0.0.1",
          "--cert-dir=" + (directory() / "certificates").string(),
          "--token-auth-file=" + (directory() / "tokens.csv").string(), "--authorization-mode=RBAC",
          "--service-account-issuer=https://kubernetes.default.svc",
          "--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
          "--service-cluster-ip-range=10.0.0.0/16",
          // It would wait for the default service account, which a controller creates.
          "--disable-admission-plugins=ServiceAccount"},
      directory() / "kube-apiserver.log");

  const auto deadline = std::chrono::steady_clock::now() + Seconds(60);
  for (;;) {
    const CommandResult ready = TryKubectl({"get", "--raw=/readyz"}, "", Seconds(5));
    if (ready.exit_code == 0) return;
    if (!etcd_->IsRunning()) throw std::runtime_error("etcd ended; " + etcd_->LogTail());
    if (!server_->IsRunning()) {
      throw std::runtime_error("kube-apiserver ended; " + server_->LogTail());
    }
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error("kube-apiserver is not ready after 60 s: " + ready.output +
                               ready.errors + "\n" + server_->LogTail());
    }
    std::this_thread::sleep_for(Milliseconds(50));
  }
}

void ApiServer::Stop() {
  server_->Kill(SIGTERM);
  // It would wait for clients that keep their connections; so they see both an orderly end and a
  // crash.
  if (!server_->Wait(Seconds(3))) server_->Kill(SIGKILL);
  server_.reset();
}

std::string ApiServer::Kubectl(std::vector<std::string> arguments, const std::string& input,
                               Milliseconds timeout) {
  std::string command = "kubectl";
  for (const std::string& argument : arguments) command += " " + argument;
  CommandResult result = TryKubectl(std::move(arguments), input, timeout);
  if (result.exit_code != 0) {
    throw std::runtime_error(command + " exits with " + std::to_string(result.exit_code) + ": " +
                             result.errors + result.output);
  }
  return std::move(result.output);
}

CommandResult ApiServer::TryKubectl(std::vector<std::string> arguments, const std::string& input,
                                    Milliseconds timeout) {
  // The caches of the user who runs the tests are about other servers.
  std::vector<std::string> argv{ServerBinary("kubectl"), "--kubeconfig=" + kubeconfig().string(),
                                "--cache-dir=" + (directory() / "kubectl-cache").string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunCommand(argv, input, timeout);
}

void ApiServer::WriteKubeconfig() {
  // The server writes its self-signed certificate, which is its own CA, when it starts.
  const std::string certificate = (directory() / "certificates" / "apiserver.crt").string();
  WriteFile(kubeconfig(),
            "apiVersion: v1\nkind: Config\ncurrent-context: e2e\n"
            "clusters:\n- name: e2e\n  cluster:\n    server: " +
                url_ + "\n    certificate-authority: " + certificate +
                "\nusers:\n- name: admin\n  user:\n    token: " + kAdminToken +
                "\ncontexts:\n- name: e2e\n  context: {cluster: e2e, user: admin}\n");
}

}  // namespace capstan::e2e
