// The manifests in deploy/ on a kube-apiserver. They can be applied unchanged. A manager with their
// arguments and permissions does all its work without a denied request, and uses every permission.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "json/value.h"
#include "process.h"
#include "scenarios/workload.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

using ::testing::IsEmpty;

constexpr char kNamespace[] = "capstan-system";
constexpr char kName[] = "capstan-controller-manager";
constexpr char kUser[] = "system:serviceaccount:capstan-system:capstan-controller-manager";

std::filesystem::path Repository() { return tests::RepositoryFolder(); }

json::Value Parsed(const std::string& text) {
  Result<json::ParsedValue> parsed = json::ParseValue(text);
  if (!parsed) throw std::runtime_error(parsed.status().message() + ": " + text.substr(0, 200));
  return std::move(parsed->value);
}

// "patch apps/deployments/status", "list pods"
std::string RightOf(const std::string& verb, const std::string& group, std::string resource) {
  if (!group.empty()) resource = group + "/" + resource;
  return verb + " " + resource;
}

class Deploy : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto kinds = ServerKinds();
    if (std::find(kinds.begin(), kinds.end(), ServerKind::kReal) == kinds.end()) {
      GTEST_SKIP() << "there is no kube-apiserver";
    }
    WriteFile(files_.path() / "audit.yaml",
              "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n");
    server_ = NewKubeApiServer(
        {"--audit-policy-file=" + (files_.path() / "audit.yaml").string(),
         "--audit-log-path=" + AuditLog().string(),
         "--enable-admission-plugins=OwnerReferencesPermissionEnforcement,PodSecurity"});
    Kubectl({"apply", "--kustomize=" + (Repository() / "deploy/base").string()});
  }
  void TearDown() override {
    if (!manager_) return;
    manager_->Kill(SIGTERM);
    EXPECT_EQ(manager_->Wait(Seconds(30)), 0) << manager_->LogTail();
  }

  std::string Kubectl(std::vector<std::string> arguments, const std::string& input = "") {
    return server_->Kubectl(std::move(arguments), input);
  }
  std::filesystem::path AuditLog() const { return files_.path() / "audit.log"; }

  // Runs the manager as its pod would: with the arguments of the manifest and the token of its
  // service account.
  void StartManager() {
    const std::string kubeconfig = (files_.path() / "manager.kubeconfig").string();
    WriteFile(kubeconfig, ReadFile(server_->kubeconfig()));
    const std::string token =
        Kubectl({"create", "token", kName, "--namespace", kNamespace, "--duration=1h"});
    server_->Kubectl({"config", "--kubeconfig=" + kubeconfig, "set-credentials", "admin",
                      "--token=" + token.substr(0, token.find('\n'))});
    std::vector<std::string> command = {tests::ManagerProgram()};
    const json::Value deployment =
        Parsed(Kubectl({"get", "deployment", kName, "--namespace", kNamespace, "--output=json"}));
    const json::Value& containers = deployment.Get("spec", "template", "spec").Get("containers");
    for (const json::Value& argument : containers.items().at(0).Get("args").items()) {
      std::string text = argument.AsString();
      constexpr std::string_view kVariable = "$(POD_NAMESPACE)";
      if (const size_t at = text.find(kVariable); at != std::string::npos) {
        text.replace(at, kVariable.size(), kNamespace);
      }
      command.push_back(std::move(text));
    }
    port_ = FreePorts(1)[0];
    command.insert(command.end(), {"--kubeconfig=" + kubeconfig, "--bind-address=127.0.0.1",
                                   "--secure-port=" + std::to_string(port_)});
    manager_ = std::make_unique<Process>(command, server_->directory() / "manager.log");
  }

  void Await(const std::string& object, const std::string& path, const std::string& value) {
    const CommandResult result = server_->TryKubectl(
        {"wait", object, "--for=jsonpath={" + path + "}=" + value, "--timeout=60s"});
    ASSERT_EQ(result.exit_code, 0)
        << object << path << ": " << result.errors << Kubectl({"get", object, "--output=yaml"})
        << manager_->LogTail();
  }
  std::string Field(const std::string& object, const std::string& path) {
    return Kubectl({"get", object, "--output=jsonpath={" + path + "}"});
  }
  std::string Label(const std::string& object, const std::string& name) {
    return Field(object, ".metadata.labels." + name);
  }
  std::string OwnerOf(const std::string& object) {
    return Field(object, ".metadata.ownerReferences[0].name");
  }
  template <class Condition>
  static bool Eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
  std::string OneName(const std::string& kind, const std::string& selector) {
    return Kubectl(
        {"get", kind, "--selector=" + selector, "--output=jsonpath={.items[0].metadata.name}"});
  }

  // The permissions that the roles grant.
  std::set<std::string> Granted() {
    std::set<std::string> rights;
    for (const char* roles : {"clusterroles", "roles"}) {
      const json::Value list =
          Parsed(Kubectl({"get", roles, "--selector=app.kubernetes.io/name=" + std::string(kName),
                          "--all-namespaces", "--output=json"}));
      for (const json::Value& role : list.Get("items").items()) {
        for (const json::Value& rule : role.Get("rules").items()) {
          for (const json::Value& resource : rule.Get("resources").items()) {
            for (const json::Value& verb : rule.Get("verbs").items()) {
              const std::string& group = rule.Get("apiGroups").items().at(0).AsString();
              rights.insert(RightOf(verb.AsString(), group, resource.AsString()));
            }
          }
        }
      }
    }
    return rights;
  }

  // The requests of the manager, and those of them that were denied.
  struct Asked {
    std::set<std::string> all;
    std::set<std::string> denied;
  };
  Asked ReadAuditLog() const {
    Asked asked;
    std::istringstream lines(ReadFile(AuditLog()));
    for (std::string line; std::getline(lines, line);) {
      const json::Value event = Parsed(line);
      if (event.Get("user", "username").AsString() != kUser) continue;
      const json::Value& object = event.Get("objectRef");
      if (object.IsNull()) continue;  // a page that is not an API object
      std::string resource = object.Get("resource").AsString();
      if (!object.Get("subresource").IsNull()) {
        resource += "/" + object.Get("subresource").AsString();
      }
      const std::string right = RightOf(event.Get("verb").AsString(),
                                        object.Get("apiGroup").AsString(), std::move(resource));
      asked.all.insert(right);
      if (event.Get("responseStatus", "code").AsInteger() == 403) asked.denied.insert(right);
    }
    return asked;
  }

  const TempDirectory files_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Process> manager_;
  int port_ = 0;
};

TEST_F(Deploy, TheRolesGrantExactlyWhatTheManagerUses) {
  StartManager();
  Kubectl({"apply", "--filename=" + (Repository() / "config/samples/deployment.yaml").string()});
  ASSERT_NO_FATAL_FAILURE(Await("deployment/web", ".status.replicas", "12"));

  // Releases and adopts a pod, and adopts a ReplicaSet.
  const std::string hash = "pod-template-hash";
  const std::string pod = OneName("pods", "app=web");
  const std::string old_hash = Label("pod/" + pod, hash);
  Kubectl({"label", "pod", pod, hash + "-"});
  EXPECT_TRUE(Eventually([&] { return OwnerOf("pod/" + pod).empty(); })) << manager_->LogTail();
  Kubectl({"label", "pod", pod, hash + "=" + old_hash});
  EXPECT_TRUE(Eventually([&] {
    const CommandResult found = server_->TryKubectl({"get", "pod", pod, "--output=name"});
    return found.exit_code != 0 || !OwnerOf("pod/" + pod).empty();
  })) << "adopted, or deleted as a surplus pod: "
      << manager_->LogTail();
  Kubectl({"create", "--filename=-"}, scenarios::ReplicaSetJson("older", "web", 0));
  EXPECT_TRUE(Eventually([&] { return OwnerOf("replicaset/older") == "web"; }));

  // Scales down, changes the template, and removes old ReplicaSets, which happens when the rollout
  // is complete. Only this test makes pods ready.
  Kubectl({"patch", "deployment/web", "--type=merge",
           R"(--patch={"spec":{"replicas":2,"revisionHistoryLimit":0,)"
           R"("strategy":{"type":"Recreate","rollingUpdate":null}}})"});
  ASSERT_NO_FATAL_FAILURE(Await("deployment/web", ".status.replicas", "2"));
  Kubectl({"set", "image", "deployment/web", "web=registry.example/web:2.0"});
  ASSERT_NO_FATAL_FAILURE(Await("deployment/web", ".status.updatedReplicas", "2"));
  std::istringstream pods(Kubectl(
      {"get", "pods", "--selector=app=web", "--output=jsonpath={.items[*].metadata.name}"}));
  for (std::string name; pods >> name;) {
    Kubectl({"patch", "pod", name, "--subresource=status", "--type=merge",
             R"(--patch={"status":{"conditions":[{"type":"Ready","status":"True"}]}})"});
  }
  EXPECT_TRUE(Eventually([&] {
    return server_->TryKubectl({"get", "replicaset/older"}).exit_code != 0;
  })) << manager_->LogTail();

  // A rollback to a revision that no longer exists.
  const std::string rollback = "deprecated.deployment.rollback.to";
  Kubectl({"annotate", "deployment/web", rollback + "=1"});
  EXPECT_TRUE(Eventually([&] {
    return Field("deployment/web", ".metadata.annotations").find(rollback) == std::string::npos;
  })) << manager_->LogTail();

  manager_->Kill(SIGTERM);  // releases the lease
  EXPECT_EQ(manager_->Wait(Seconds(30)), 0) << manager_->LogTail();
  const Asked asked = ReadAuditLog();
  manager_.reset();
  EXPECT_THAT(asked.denied, IsEmpty());

  std::set<std::string> unused = Granted();
  for (const std::string& right : asked.all) unused.erase(right);
  // Admission checks this permission on the owner; there is no request.
  EXPECT_EQ(unused.erase("update apps/deployments/finalizers"), 1U);
  EXPECT_EQ(unused.erase("update apps/replicasets/finalizers"), 1U);
  unused.erase("get pods");  // only after a deletion without an answer
  // Only where the server does not begin a watch with the objects that exist.
  for (const char* resource : {"apps/deployments", "apps/replicasets", "pods"}) {
    unused.erase(std::string("list ") + resource);
  }
  EXPECT_THAT(unused, IsEmpty());
}

}  // namespace
}  // namespace capstan::e2e
