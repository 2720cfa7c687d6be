#pragma once

// Runs stock kubectl for the tests of user commands, on each server, with a running manager.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "process.h"
#include "scenarios/world.h"

namespace capstan::e2e {

class Kubectl : public ::testing::TestWithParam<scenarios::WorldKind> {
 protected:
  using Arguments = std::vector<std::string>;

  Kubectl()
      : world_(scenarios::NewWorld(GetParam())),
        server_(ApiServer::Shared(GetParam() == scenarios::WorldKind::kReal
                                      ? ServerKind::kReal
                                      : ServerKind::kPlayground)),
        manager_(world_->StartManager({.leader_elect = false})) {}

  void TearDown() override {
    EXPECT_EQ(manager_->Terminate(), 0) << manager_->LogTail();
    manager_.reset();
  }

  // Returns the output of kubectl in this test's namespace. The command must succeed.
  std::string Run(Arguments arguments, const std::string& input = "") {
    const CommandResult result = Try(arguments, input);
    std::string command = "kubectl";
    for (const std::string& argument : arguments) command += " " + argument;
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.errors << result.output;
    return result.output;
  }

  CommandResult Try(Arguments arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"--namespace", world_->namespace_name()});
    return server_.TryKubectl(std::move(arguments), input, Seconds(60));
  }

  // Runs `kubectl edit` with `sed` as the editor.
  CommandResult Edit(const std::string& expression, const std::string& object) {
    return RunCommand({"/usr/bin/env", "KUBE_EDITOR=sed -i " + expression, ServerBinary("kubectl"),
                       "--kubeconfig=" + server_.kubeconfig().string(),
                       "--namespace=" + world_->namespace_name(), "edit", object},
                      "", Seconds(60));
  }

  ::testing::AssertionResult Eventually(const std::function<bool()>& is) {
    if (world_->Until(is, Seconds(30))) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "not within 30 s";
  }

  // Creates the Deployment "web" and waits until it is complete.
  void CreateWeb(int replicas = 2) {
    EXPECT_EQ(Run({"create", "deployment", "web", "--image=nginx:1",
                   "--replicas=" + std::to_string(replicas)}),
              "deployment.apps/web created\n");
    Complete();
  }

  void Complete() {
    EXPECT_THAT(Run({"rollout", "status", "deployment/web", "--timeout=30s"}),
                ::testing::HasSubstr("deployment \"web\" successfully rolled out"));
  }

  std::string Field(const std::string& object, const std::string& path) {
    return Run({"get", object, "-o", "jsonpath={" + path + "}"});
  }

  bool Exists(const std::string& object) { return Try({"get", object}).exit_code == 0; }

  const std::unique_ptr<scenarios::World> world_;
  ApiServer& server_;
  std::unique_ptr<scenarios::Manager> manager_;
};

}  // namespace capstan::e2e
