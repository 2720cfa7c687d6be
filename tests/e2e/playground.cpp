#include <csignal>
#include <stdexcept>

#include "api_server.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

class Playground final : public ApiServer {
 public:
  Playground() : port_(FreePorts(1).front()) { Start(); }

  void Start() override {
    process_ = std::make_unique<Process>(
        std::vector<std::string>{tests::PlaygroundProgram(), "--bind-address=127.0.0.1",
                                 "--secure-port=" + std::to_string(port_), "--nodes=0",
                                 "--kubeconfig=" + kubeconfig().string(),
                                 "--data=" + (directory() / "playground.json").string()},
        directory() / "playground.log");
    AwaitReady({process_.get()});
  }

  void Stop() override {
    process_->Kill(SIGTERM);
    if (!process_->Wait(Seconds(10))) {
      throw std::runtime_error("the playground still runs 10 s after SIGTERM; " +
                               process_->LogTail());
    }
    process_.reset();
  }

 private:
  const int port_;
  std::unique_ptr<Process> process_;
};

}  // namespace

std::unique_ptr<ApiServer> NewPlayground() { return std::make_unique<Playground>(); }

}  // namespace capstan::e2e
