#include "playground/program.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include <capstan/client/client.h>
#include <capstan/log/log.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/api_server.h>
#include <capstan/testing/kubelet.h>

#include "base/cli/flag_set.h"
#include "base/cli/shutdown_signals.h"
#include "base/io/atomic_file.h"
#include "playground/data_file.h"
#include "playground/frontend.h"
#include "playground/identity.h"
#include "playground/kubeconfig_text.h"
#include "playground/options.h"

namespace capstan::playground {
namespace {

std::unique_ptr<testing::Kubelet> StartKubelet(testing::ApiServer& server, const Options& options) {
  testing::KubeletOptions kubelet_options;
  kubelet_options.nodes.clear();
  for (int i = 1; i <= options.nodes; ++i) {
    kubelet_options.nodes.push_back(Format("node-{}", i));
  }
  ClientOptions client_options;
  client_options.qps = 0;
  auto kubelet = std::make_unique<testing::Kubelet>(
      Client(server.NewTransport(), SystemRuntime(), client_options), SystemRuntime(),
      std::move(kubelet_options));
  kubelet->Behave({.ready_after = options.pod_ready_after, .gone_after = options.pod_gone_after});
  return kubelet;
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

void Announce(const Options& options, const Frontend& secure, const Frontend* plain) {
  std::string text = Format("Serving the Kubernetes API at {}", secure.Url());
  if (plain) text += Format(" and, without authentication, at {}", plain->Url());
  text += Format(
      "\nTry:\n"
      "  export KUBECONFIG={}\n"
      "  kubectl get nodes\n"
      "  kubectl create deployment web --image=nginx --replicas=3\n"
      "  kubectl get deployments,replicasets,pods\n"
      "A controller manager creates the pods of a Deployment:\n"
      "  capstan-controller-manager --kubeconfig=$KUBECONFIG\n"
      "Press Ctrl-C to stop.\n",
      Absolute(options.kubeconfig));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// The components, in order of construction. They are destroyed in reverse order.
class Playground {
 public:
  explicit Playground(const Options& options)
      : options_(options), server_(SystemRuntime(), {.metrics = &DefaultMetrics()}) {}

  Status Start() {
    if (!options_.data.empty()) {
      auto data = DataFile::Open(options_.data, server_, SystemRuntime());
      if (!data) return data.status().WithContext("--data");
      data_ = *std::move(data);
    }
    if (Status status = OpenFrontends(); !status.ok()) return status;
    if (options_.nodes > 0) kubelet_ = StartKubelet(server_, options_);
    if (data_) data_->KeepSaving();
    if (Status status = WriteKubeconfig(); !status.ok()) return status;
    Announce(options_, *secure_, plain_.get());
    return Status::Ok();
  }

  // Stops the playground. Returns the error of the last save.
  Status Stop() {
    secure_->Close();
    if (plain_) plain_->Close();
    kubelet_.reset();
    return data_ ? data_->SaveNow().WithContext("--data") : Status::Ok();
  }

 private:
  Status OpenFrontends() {
    auto identity = LoadOrMakeIdentity(options_.data.empty() ? "" : options_.data + ".pem");
    if (!identity) return identity.status();
    identity_ = *std::move(identity);
    auto secure = Frontend::Open({.bind_address = options_.bind_address,
                                  .port = options_.secure_port,
                                  .identity = identity_},
                                 server_);
    if (!secure) return secure.status().WithContext("--secure-port");
    secure_ = *std::move(secure);
    if (options_.insecure_port < 0) return Status::Ok();
    auto plain = Frontend::Open(
        {.bind_address = options_.bind_address, .port = options_.insecure_port}, server_);
    if (!plain) return plain.status().WithContext("--insecure-port");
    plain_ = *std::move(plain);
    return Status::Ok();
  }

  Status WriteKubeconfig() const {
    const std::string text = KubeconfigText({.server = secure_->Url(),
                                             .certificate = identity_.certificate,
                                             .server_name = "localhost",
                                             .token = identity_.token});
    return io::WriteFileAtomically(options_.kubeconfig, text, 0600).WithContext("--kubeconfig");
  }

  const Options options_;
  testing::ApiServer server_;
  std::unique_ptr<DataFile> data_;
  std::unique_ptr<testing::Kubelet> kubelet_;
  Identity identity_;
  std::unique_ptr<Frontend> secure_;
  std::unique_ptr<Frontend> plain_;
};

int Failed(const Status& status) {
  std::fprintf(stderr, "capstan-playground: %s\n", status.message().c_str());
  return 1;
}

void AwaitStop(const std::stop_token& stop) { SystemRuntime().SleepFor(Duration::max() / 4, stop); }

int Run(const Options& options, const std::stop_token& stop) {
  ConfigureLogging({.verbosity = options.verbosity});
  Playground playground(options);
  if (Status status = playground.Start(); !status.ok()) return Failed(status);
  AwaitStop(stop);
  if (Status status = playground.Stop(); !status.ok()) return Failed(status);
  return 0;
}

}  // namespace

int Main(const std::vector<std::string>& arguments) {
  const cli::ShutdownSignals signals(SystemRuntime());
  auto parsed = ParseCommandLine(arguments, cli::TerminalWidth());
  if (!parsed) return Failed(parsed.status());
  if (const auto* text = std::get_if<std::string>(&*parsed)) {
    std::fputs(text->c_str(), stdout);
    return 0;
  }
  return Run(std::get<Options>(*parsed), signals.token());
}

}  // namespace capstan::playground
