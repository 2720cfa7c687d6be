// What an operator can observe and change in running managers, on a real kube-apiserver.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "audit_log.h"
#include "page_client.h"
#include "process.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunningManager : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto kinds = ServerKinds();
    if (std::find(kinds.begin(), kinds.end(), ServerKind::kReal) == kinds.end()) {
      GTEST_SKIP() << "there is no kube-apiserver";
    }
    server_ = NewKubeApiServer(audit_.ServerFlags());
  }

  Process& Start(const std::string& name, std::vector<std::string> flags = {}) {
    ports_[name] = FreePorts(1)[0];
    std::vector<std::string> command = {
        tests::ManagerProgram(), "--kubeconfig=" + server_->kubeconfig().string(),
        "--bind-address=127.0.0.1", "--secure-port=" + std::to_string(ports_[name]), "-v=4"};
    command.insert(command.end(), flags.begin(), flags.end());
    managers_[name] = std::make_unique<Process>(command, files_.path() / (name + ".log"));
    return *managers_[name];
  }
  // Sends the request as the administrator, who has all permissions.
  PageAnswer Ask(const std::string& name, const std::string& path,
                 const std::string& method = "GET", const std::string& body = "") {
    auto config = LoadKubeconfig({.paths = {server_->kubeconfig()}, .context = {}, .master = {}});
    if (!config) throw std::runtime_error(config.status().ToString());
    RestConfig token;
    token.bearer_token = config->bearer_token;
    return AskPage(ports_.at(name), method, path, token, {}, body);
  }
  template <class Condition>
  static bool Eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(Milliseconds(20));
    }
    return true;
  }
  bool EventuallyShows(const std::string& name, const std::string& path, const std::string& text) {
    return Eventually([&] {
      const PageAnswer answer = Ask(name, path);
      return answer.status == 200 && answer.body.find(text) != std::string::npos;
    });
  }
  void CreateDeployment(const std::string& name) {
    server_->Kubectl({"create", "deployment", name, "--image=registry.example/web:1.0"});
  }
  bool EventuallyHasReplicaSet(const std::string& deployment) {
    return Eventually([&] {
      return !server_
                  ->Kubectl({"get", "replicasets", "--selector=app=" + deployment, "--output=name"})
                  .empty();
    });
  }

  const TempDirectory files_;
  AuditLog audit_{files_.path()};
  std::unique_ptr<ApiServer> server_;
  std::map<std::string, std::unique_ptr<Process>> managers_;
  std::map<std::string, int> ports_;
};

TEST_F(RunningManager, ServesItsPagesAndIsReadyAsLeaderAndStandby) {
  Start("first");
  ASSERT_TRUE(EventuallyShows("first", "/readyz?verbose", "[+]leading ok"))
      << managers_["first"]->LogTail();
  Start("second");
  ASSERT_TRUE(EventuallyShows("second", "/readyz?verbose", "[+]standby ok"))
      << managers_["second"]->LogTail();
  EXPECT_TRUE(EventuallyShows("second", "/readyz?verbose", "[+]informer-sync ok"));

  const std::map<std::string, std::string> pages = {
      {"/healthz?verbose", "[+]deployment-controller ok"},
      {"/livez/leaderElection", "ok"},
      {"/metrics", "leader_election_master_status{name=\"capstan-controller-manager\"} 1"},
      {"/metrics/slis", "kubernetes_healthcheck{"},
      {"/configz", "capstan.dev"},
      {"/flagz", "leader-elect=true"},
      {"/statusz", "leading"},
      {"/whyz", "nothing is blocked or waiting"},
      {"/debug/controllers", "replicaset-controller"},
      {"/debug/controllers?format=json", "\"running\""},
      {"/debug/pprof/", "heap"},
  };
  for (const auto& [path, text] : pages) {
    const PageAnswer answer = Ask("first", path);
    EXPECT_EQ(answer.status, 200) << path << ": " << answer.body;
    EXPECT_THAT(answer.body, HasSubstr(text)) << path;
  }
  EXPECT_EQ(Ask("second", "/whyz").status, 503);
  EXPECT_EQ(Ask("first", "/nothing").status, 404);
  EXPECT_EQ(AskPage(ports_["first"], "GET", "/nothing", {}).status, 401);
  EXPECT_EQ(AskPage(ports_["first"], "GET", "/healthz", {}).body, "ok");
  EXPECT_EQ(Ask("first", "/debug/flags/v", "PUT", "6").status, 200);
  EXPECT_TRUE(EventuallyShows("first", "/flagz", "v=4")) << "the flag is what it was";
}

TEST_F(RunningManager, StartsAndDrainsControllersWhenItsConfigurationChanges) {
  const auto config = files_.path() / "config.yaml";
  const auto configure = [&](const std::string& controllers) {
    WriteFile(config,
              "apiVersion: capstan.dev/v1alpha1\nkind: ControllerManagerConfiguration\n"
              "generic:\n  controllers: [" +
                  controllers + "]\n");
  };
  configure("replicaset-controller");
  Process& manager = Start("only", {"--config=" + config.string()});
  ASSERT_TRUE(EventuallyShows("only", "/debug/controllers?format=json", "\"running\""))
      << manager.LogTail();
  EXPECT_THAT(Ask("only", "/debug/controllers").body, Not(HasSubstr("deployment-controller")));
  CreateDeployment("web");
  const auto lease = [&] {
    return server_->Kubectl({"get", "lease", "capstan-controller-manager", "--namespace",
                             "kube-system",
                             "--output=jsonpath={.spec.holderIdentity} {.spec.leaseTransitions}"});
  };
  const std::string held = lease();

  configure("replicaset-controller, deployment-controller");
  manager.Kill(SIGHUP);
  EXPECT_TRUE(EventuallyHasReplicaSet("web")) << manager.LogTail();

  WriteFile(config, "kind: ControllerManagerConfiguration\ngeneric: {controllerz: []}\n");
  manager.Kill(SIGHUP);
  EXPECT_TRUE(Eventually([&] {
    return manager.LogText().find("Invalid configuration") != std::string::npos;
  })) << manager.LogTail();
  EXPECT_THAT(Ask("only", "/debug/controllers").body, HasSubstr("deployment-controller"));

  configure("deployment-controller");  // the change is detected without a signal
  EXPECT_TRUE(Eventually([&] {
    return Ask("only", "/debug/controllers").body.find("replicaset-controller") ==
           std::string::npos;
  })) << manager.LogTail();
  EXPECT_EQ(lease(), held);
}

TEST_F(RunningManager, RunsControllersWithTheirOwnServiceAccounts) {
  for (const char* account : {"deployment-controller", "replicaset-controller"}) {
    server_->Kubectl({"create", "clusterrolebinding", account, "--clusterrole=cluster-admin",
                      "--serviceaccount=kube-system:" + std::string(account)});
  }
  Process& manager = Start("only", {"--use-service-account-credentials"});
  CreateDeployment("web");
  const std::string accounts = "system:serviceaccount:kube-system:";
  std::set<std::string> seen;
  EXPECT_TRUE(Eventually([&] {
    for (const AuditedRequest& request : audit_.NewRequests()) {
      if (request.verb == "create" && request.succeeded) {
        seen.insert(request.user + " " + request.resource);
      }
    }
    return seen.contains(accounts + "deployment-controller replicasets") &&
           seen.contains(accounts + "replicaset-controller pods");
  })) << ::testing::PrintToString(seen)
      << manager.LogTail();
}

TEST_F(RunningManager, WritesNothingInADryRun) {
  Process& manager = Start("only", {"--dry-run"});
  CreateDeployment("web");
  EXPECT_TRUE(Eventually([&] {
    const std::string log = manager.LogText();
    return log.find("Dry run: not sent") != std::string::npos &&
           log.find("/namespaces/default/replicasets") != std::string::npos;
  })) << manager.LogTail();
  EXPECT_EQ(server_->Kubectl({"get", "replicasets", "--output=name"}), "");
  EXPECT_EQ(
      server_
          ->TryKubectl({"get", "lease", "capstan-controller-manager", "--namespace", "kube-system"})
          .exit_code,
      1);
}

}  // namespace
}  // namespace capstan::e2e
