// Which managers write, according to the audit log of a kube-apiserver. The managers are processes.

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api_server.h"
#include "audit_log.h"
#include "process.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

constexpr int kPods = 30;

class Leadership : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto kinds = ServerKinds();
    if (std::find(kinds.begin(), kinds.end(), ServerKind::kReal) == kinds.end()) {
      GTEST_SKIP() << "there is no kube-apiserver";
    }
    server_ = NewKubeApiServer(audit_.ServerFlags());
  }

  Process& StartManager(const std::string& user, const std::vector<std::string>& election = {
                                                     "--leader-elect-lease-duration=4s",
                                                     "--leader-elect-renew-deadline=3s"}) {
    const auto kubeconfig = files_.path() / (user + ".kubeconfig");
    WriteFile(kubeconfig, ImpersonatingKubeconfig(server_->kubeconfig(), user));
    auto& manager = managers_[user];
    // Slow enough that work is left at the interruption.
    std::vector<std::string> command = {tests::ManagerProgram(),
                                        "--kubeconfig=" + kubeconfig.string(),
                                        "--controllers=deployment-controller,replicaset-controller",
                                        "--leader-elect-retry-period=1s",
                                        "--kube-api-qps=8",
                                        "--kube-api-burst=8",
                                        "--secure-port=0",
                                        "-v=4"};
    command.insert(command.end(), election.begin(), election.end());
    manager = std::make_unique<Process>(command, files_.path() / (user + ".log"));
    return *manager;
  }
  void CreateDeployment(const std::string& name) {
    server_->Kubectl({"create", "deployment", name, "--image=registry.example/web:1.0",
                      "--replicas=" + std::to_string(kPods)});
  }

  void Follow() {
    const auto news = audit_.NewRequests();
    requests_.insert(requests_.end(), news.begin(), news.end());
  }
  std::vector<AuditedRequest> WorkOf(const std::string& user) {
    Follow();
    std::vector<AuditedRequest> work;
    for (const AuditedRequest& request : requests_) {
      if (request.user == user && request.IsWork()) work.push_back(request);
    }
    return work;
  }
  template <class Condition>
  static bool Eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
  bool Says(const std::string& user, const std::string& text) {
    return managers_.at(user)->LogText().find(text) != std::string::npos;
  }
  bool EventuallyLogs(const std::string& user, const std::string& text) {
    return Eventually([&] { return Says(user, text); });
  }
  bool EventuallyHasPods(const std::string& deployment) {
    return server_
               ->TryKubectl({"wait", "deployment/" + deployment,
                             "--for=jsonpath={.status.replicas}=" + std::to_string(kPods),
                             "--timeout=60s"})
               .exit_code == 0;
  }
  std::string LeaseField(const std::string& path) {
    return server_->Kubectl({"get", "lease", "capstan-controller-manager", "--namespace",
                             "kube-system", "--output=jsonpath={" + path + "}"});
  }
  std::string Logs() {
    std::string text;
    for (const auto& [user, manager] : managers_) text += user + ": " + manager->LogTail(60) + "\n";
    return text;
  }

  const TempDirectory files_;
  AuditLog audit_{files_.path()};
  std::unique_ptr<ApiServer> server_;
  std::map<std::string, std::unique_ptr<Process>> managers_;
  std::vector<AuditedRequest> requests_;
};

TEST_F(Leadership, ALeaderSuspendedPastItsLeaseWritesNothing) {
  Process& first = StartManager("first");
  ASSERT_TRUE(EventuallyLogs("first", "Successfully acquired lease")) << Logs();
  CreateDeployment("web");
  ASSERT_TRUE(Eventually([&] { return WorkOf("first").size() >= 5; })) << Logs();
  first.Kill(SIGSTOP);
  StartManager("second");
  ASSERT_TRUE(Eventually([&] { return WorkOf("second").size() >= 3; })) << Logs();

  const auto resumed = std::chrono::system_clock::now();
  first.Kill(SIGCONT);
  EXPECT_TRUE(EventuallyLogs("first", "standing by again")) << Logs();
  EXPECT_TRUE(EventuallyHasPods("web")) << Logs();
  for (const AuditedRequest& request : WorkOf("first")) {
    EXPECT_LT(request.received, resumed)
        << request.verb << " " << request.resource << " of a leader that was";
  }
  EXPECT_TRUE(first.IsRunning());
}

TEST_F(Leadership, TheSuccessorStartsAfterAStoppingLeaderHasFinished) {
  for (const char* user : {"one", "two", "three"}) StartManager(user);
  std::string leader;
  ASSERT_TRUE(Eventually([&] {
    for (const auto& [user, manager] : managers_) {
      if (Says(user, "Successfully acquired lease")) leader = user;
    }
    return !leader.empty();
  })) << Logs();
  CreateDeployment("web");
  ASSERT_TRUE(Eventually([&] { return WorkOf(leader).size() >= 5; })) << Logs();
  managers_.at(leader)->Kill(SIGTERM);
  EXPECT_EQ(managers_.at(leader)->Wait(Seconds(30)), 0) << Logs();
  EXPECT_TRUE(EventuallyHasPods("web")) << Logs();

  const auto last = WorkOf(leader).back().received;
  int successors = 0;
  for (const auto& [user, manager] : managers_) {
    if (user == leader) continue;
    const auto work = WorkOf(user);
    successors += work.empty() ? 0 : 1;
    for (const AuditedRequest& request : work) EXPECT_LT(last, request.received) << user;
  }
  EXPECT_EQ(successors, 1);
}

TEST_F(Leadership, AnOutageShorterThanTheLeaseKeepsTheLeader) {
  StartManager("only", {"--leader-elect-lease-duration=40s", "--leader-elect-renew-deadline=30s"});
  ASSERT_TRUE(EventuallyLogs("only", "Successfully acquired lease")) << Logs();
  CreateDeployment("before");
  ASSERT_TRUE(EventuallyHasPods("before")) << Logs();
  const std::string holder = LeaseField(".spec.holderIdentity");
  server_->Stop();
  server_->Start();
  CreateDeployment("after");
  EXPECT_TRUE(EventuallyHasPods("after")) << Logs();
  EXPECT_TRUE(managers_.at("only")->IsRunning());
  EXPECT_EQ(LeaseField(".spec.holderIdentity"), holder);
}

}  // namespace
}  // namespace capstan::e2e
