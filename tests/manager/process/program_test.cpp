#include "process/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/io/unique_fd.h"
#include "process/child_process.h"
#include "support/paths.h"
#include "support/temp_folder.h"

namespace capstan::manager {
namespace {

// No server listens on this port.
constexpr const char* kKubeconfig = R"({
  "clusters": [{"name": "none", "cluster": {"server": "http://127.0.0.1:1"}}],
  "contexts": [{"name": "none", "context": {"cluster": "none"}}],
  "current-context": "none"
})";

constexpr const char* kConfiguration =
    "apiVersion: capstan.dev/v1alpha1\nkind: ControllerManagerConfiguration\n";

class Program : public ::testing::Test {
 protected:
  // The configuration is a pipe, so the manager stays in its setup until the test writes to it.
  void SetUp() override {
    ASSERT_EQ(mkfifo(config_.c_str(), 0600), 0);
    auto manager =
        tools::ChildProcess::Start({tests::ManagerProgram(), "--config=" + config_,
                                    "--kubeconfig=" + folder_.Write("kubeconfig", kKubeconfig),
                                    "--plugin-dir=" + tests::PluginFolder(), "--secure-port=0"},
                                   folder_.Path("manager.log"));
    ASSERT_TRUE(manager.ok()) << manager.status().message();
    manager_.emplace(*std::move(manager));
    configuration_.Reset(open(config_.c_str(), O_WRONLY | O_CLOEXEC));  // waits for its reader
  }
  // Later reads of the configuration find a file.
  void EndConfiguration() {
    folder_.Write("config.yaml", kConfiguration);
    const auto size = static_cast<ssize_t>(std::strlen(kConfiguration));
    EXPECT_EQ(write(configuration_.get(), kConfiguration, std::strlen(kConfiguration)), size);
    configuration_.Reset();
  }
  int ExitCode() { return manager_->Wait(std::chrono::seconds(60)).value_or(-1); }

  TempFolder folder_;
  const std::string config_ = folder_.Path("config.yaml");
  io::UniqueFd configuration_;
  std::optional<tools::ChildProcess> manager_;
};

TEST_F(Program, StopsCleanlyAfterASignalDuringSetup) {
  manager_->Kill(SIGTERM);
  EndConfiguration();
  EXPECT_EQ(ExitCode(), 0) << manager_->LogTail();
}

TEST_F(Program, ExitsAtOnceAfterASecondSignalDuringSetup) {
  // Two signals with the same number would be merged while the first is pending.
  manager_->Kill(SIGTERM);
  manager_->Kill(SIGINT);
  const int code = ExitCode();
  EXPECT_TRUE(code == 128 + SIGTERM || code == 128 + SIGINT) << code << manager_->LogTail();
}

}  // namespace
}  // namespace capstan::manager
