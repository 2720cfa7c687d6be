// Two managers on a kube-apiserver that elects the leader (KEP-4355).

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "process.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLease[] = "coordinated";

// Only the names, one per line.
constexpr char kNames[] = R"(--output=jsonpath={range .items[*]}{.metadata.name}{"\n"}{end})";

class CoordinatedManagers : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto kinds = ServerKinds();
    if (std::find(kinds.begin(), kinds.end(), ServerKind::kReal) == kinds.end()) {
      GTEST_SKIP() << "there is no kube-apiserver";
    }
    server_ = NewKubeApiServer({"--feature-gates=CoordinatedLeaderElection=true",
                                "--runtime-config=coordination.k8s.io/v1beta1=true"});
  }

  std::unique_ptr<Process> NewManager(const std::string& name) {
    return std::make_unique<Process>(
        std::vector<std::string>{
            tests::ManagerProgram(), "--kubeconfig=" + server_->kubeconfig().string(),
            "--feature-gates=CoordinatedLeaderElection=true", "--secure-port=0",
            std::string("--leader-elect-resource-name=") + kLease, "-v=4"},
        server_->directory() / (name + ".log"));
  }
  // Waits up to one minute: the server creates the Lease, and waits several times for 5 s for
  // candidates that do not answer.
  ::testing::AssertionResult IsHolder(const std::string& identity) {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(60);
    CommandResult result;
    do {
      result = server_->TryKubectl({"--namespace=kube-system", "get", "lease", kLease,
                                    "--output=jsonpath={.spec.holderIdentity}"});
      if (result.exit_code == 0 && result.output == identity) return ::testing::AssertionSuccess();
    } while (std::chrono::steady_clock::now() < deadline);
    return ::testing::AssertionFailure()
           << "the holder is \"" << result.output << "\"; " << result.errors;
  }
  // The candidate that is not `other`.
  std::string AwaitCandidate(const std::string& other = "") {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      std::istringstream names(Kubectl({"get", "leasecandidates", kNames}));
      for (std::string name; std::getline(names, name);) {
        if (name != other) return name;
      }
    }
    return "";
  }
  std::string Kubectl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--namespace=kube-system");
    return server_->Kubectl(std::move(arguments));
  }

  std::unique_ptr<ApiServer> server_;
};

TEST_F(CoordinatedManagers, AreElectedByTheServerOneAfterTheOther) {
  const auto first = NewManager("first");
  const std::string first_name = AwaitCandidate();
  ASSERT_NE(first_name, "") << first->LogTail();
  EXPECT_TRUE(IsHolder(first_name)) << first->LogTail();
  const auto second = NewManager("second");
  const std::string second_name = AwaitCandidate(first_name);
  ASSERT_NE(second_name, "") << second->LogTail();
  EXPECT_THAT(second->LogText(), Not(HasSubstr("Successfully acquired lease")));

  first->Kill(SIGTERM);
  EXPECT_EQ(first->Wait(Seconds(30)), 0) << first->LogTail();
  EXPECT_TRUE(IsHolder(second_name)) << second->LogTail();
  EXPECT_THAT(Kubectl({"get", "leasecandidates", kNames}), Not(HasSubstr(first_name)));
  EXPECT_EQ(Kubectl({"get", "lease", kLease, "--output=jsonpath={.spec.strategy}"}),
            "OldestEmulationVersion");
  second->Kill(SIGTERM);
  EXPECT_EQ(second->Wait(Seconds(30)), 0) << second->LogTail();
}

}  // namespace
}  // namespace capstan::e2e
