// `capstan why` and /whyz: what an operator is told about a rollout that makes no progress.

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "process.h"
#include "scenarios/workload.h"
#include "scenarios/world.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

using scenarios::WorldKind;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Why : public ::testing::TestWithParam<WorldKind> {
 protected:
  Why()
      : world_(scenarios::NewWorld(GetParam())),
        server_(ApiServer::Shared(GetParam() == WorldKind::kReal ? ServerKind::kReal
                                                                 : ServerKind::kPlayground)),
        port_(FreePorts(1)[0]),
        manager_(
            {tests::ManagerProgram(), "--kubeconfig=" + server_.kubeconfig().string(),
             "--leader-elect=false", "--bind-address=127.0.0.1",
             // These tests are about the content, not about authorization.
             "--authorization-always-allow-paths=/whyz", "--secure-port=" + std::to_string(port_)},
            server_.directory() / (world_->namespace_name() + "-why.log")) {}

  void TearDown() override {
    manager_.Kill(SIGTERM);
    EXPECT_EQ(manager_.Wait(Seconds(30)), 0) << manager_.LogTail();
  }

  void Kubectl(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "--namespace=" + world_->namespace_name());
    server_.Kubectl(std::move(arguments), input);
  }
  CommandResult Capstan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {tests::OperatorProgram(), "why"});
    arguments.push_back("--namespace=" + world_->namespace_name());
    return RunCommand(arguments, "", Seconds(30));
  }
  std::string AskApi(const std::string& object) {
    const CommandResult result = Capstan({object, "--kubeconfig=" + server_.kubeconfig().string()});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  }
  std::string AskManager(const std::string& object) {
    const CommandResult result =
        Capstan({object, "--manager=https://127.0.0.1:" + std::to_string(port_),
                 "--insecure-skip-tls-verify"});
    EXPECT_EQ(result.exit_code, 0) << result.errors << manager_.LogTail();
    return result.output;
  }
  // Waits until both report this reason.
  ::testing::AssertionResult BothReport(const std::string& reason) {
    std::string api;
    std::string manager;
    const auto say = [&] {
      api = AskApi("deployment/web");
      manager = AskManager("deployment/web");
      return api.find(reason) != std::string::npos && manager.find(reason) != std::string::npos;
    };
    if (world_->Until(say, Seconds(30))) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << api << manager;
  }

  const std::unique_ptr<scenarios::World> world_;
  ApiServer& server_;
  const int port_;
  Process manager_;
};

TEST_P(Why, NamesTheReasonOfABlockedRollout) {
  world_->kubelet().Behave({.unschedulable = true});
  Kubectl({"create", "-f", "-"}, scenarios::Workload().ToJson());
  EXPECT_TRUE(BothReport(" is blocked: Unschedulable, "));
  EXPECT_THAT(AskApi("deployment/web"),
              AllOf(StartsWith("deployment/web in " + world_->namespace_name() + " is blocked: "),
                    HasSubstr("\n  3 of 3 pods of ReplicaSet \"web-"), HasSubstr(" and 2 more: "),
                    HasSubstr("0/3 nodes are available.")));

  world_->kubelet().Behave({});
  EXPECT_TRUE(BothReport(" is settled: Complete\n"));

  Kubectl({"rollout", "pause", "deployment/web"});
  Kubectl({"set", "image", "deployment/web", "*=example.com/web:2"});
  EXPECT_TRUE(BothReport(" is blocked: Paused, "));
}

TEST_P(Why, ReportsAMissingDeployment) {
  Kubectl({"create", "-f", "-"}, scenarios::Workload().ToJson());
  EXPECT_TRUE(BothReport("Complete"));
  const CommandResult missing =
      Capstan({"deployment/nope", "--kubeconfig=" + server_.kubeconfig().string()});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, AllOf(StartsWith("capstan: deployment/nope in "),
                                    HasSubstr("deployments.apps \"nope\" not found")));
  const CommandResult unknown = Capstan({"deployment/nope", "--insecure-skip-tls-verify",
                                         "--manager=https://127.0.0.1:" + std::to_string(port_)});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.errors, HasSubstr("there is no Deployment nope"));
}

// The playground does not enforce quotas.
class WhyWithQuotas : public Why {};

TEST_P(WhyWithQuotas, QuotesTheQuotaError) {
  Kubectl({"create", "quota", "few", "--hard=pods=1"});
  // Does the work of the quota controller.
  Kubectl({"patch", "quota", "few", "--subresource=status", "--type=merge",
           R"(--patch={"status":{"hard":{"pods":"1"},"used":{"pods":"0"}}})"});
  Kubectl({"create", "-f", "-"}, scenarios::Workload().ToJson());
  EXPECT_TRUE(BothReport(" is blocked: QuotaExceeded, "));
  EXPECT_THAT(AskApi("deployment/web"), HasSubstr("exceeded quota: few, requested: pods=1"));
}

INSTANTIATE_TEST_SUITE_P(World, Why, ::testing::ValuesIn(scenarios::Worlds()),
                         [](const auto& test) { return scenarios::NameOf(test.param); });

std::vector<WorldKind> WorldsWithQuotas() {
  std::vector<WorldKind> worlds = scenarios::Worlds();
  std::erase(worlds, WorldKind::kPlayground);
  return worlds;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WhyWithQuotas);
INSTANTIATE_TEST_SUITE_P(World, WhyWithQuotas, ::testing::ValuesIn(WorldsWithQuotas()),
                         [](const auto& test) { return scenarios::NameOf(test.param); });

}  // namespace
}  // namespace capstan::e2e
