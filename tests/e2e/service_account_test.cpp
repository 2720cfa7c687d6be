// Controllers with their own service accounts, using the component in deploy/ on a kube-apiserver.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>

#include "api_server.h"
#include "apiclient/service_account_transport.h"
#include "process.h"
#include "scenarios/workload.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

using api::apps::v1::Deployment;
using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using manager::ServiceAccountTransport;
using ::testing::HasSubstr;

std::shared_ptr<Transport> TransportTo(const RestConfig& config) {
  auto transport = NewHttpTransport(config, SystemRuntime());
  if (!transport) throw std::runtime_error(transport.status().ToString());
  return *std::move(transport);
}

class ServiceAccounts : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto kinds = ServerKinds();
    if (std::find(kinds.begin(), kinds.end(), ServerKind::kReal) == kinds.end()) {
      GTEST_SKIP() << "there is no kube-apiserver";
    }
    server_ = NewKubeApiServer();
    const std::filesystem::path deploy = tests::RepositoryFolder() / "deploy";
    const auto relative = [&](const char* folder) {
      return std::filesystem::relative(deploy / folder, files_.path()).string();
    };
    WriteFile(files_.path() / "kustomization.yaml",
              "resources: [" + relative("base") + "]\ncomponents: [" +
                  relative("components/service-account-credentials") + "]\n");
    server_->Kubectl({"apply", "--kustomize=" + files_.path().string()});
    auto config = LoadKubeconfig({.paths = {server_->kubeconfig()}, .context = {}, .master = {}});
    ASSERT_TRUE(config) << config.status().ToString();
    config_ = manager::WithoutCredentials(*config);
    RestConfig manager_config = config_;
    manager_config.bearer_token = server_->Kubectl({"create", "token", "capstan-controller-manager",
                                                    "--namespace=capstan-system", "--duration=1h"});
    while (manager_config.bearer_token.back() == '\n') manager_config.bearer_token.pop_back();
    manager_ = std::make_unique<Client>(TransportTo(manager_config), SystemRuntime());
    server_->Kubectl({"apply", "--filename=-"}, scenarios::Workload{}.ToJson());
    server_->Kubectl({"apply", "--filename=-"}, scenarios::ReplicaSetJson("other", "other", 1));
  }

  Client ClientOf(const std::string& account) const {
    return Client(std::make_shared<ServiceAccountTransport>(TransportTo(config_), *manager_,
                                                            NamespacedName{"kube-system", account},
                                                            SystemRuntime()),
                  SystemRuntime());
  }

  static constexpr const char* kLabel = R"({"metadata":{"labels":{"a":"b"}}})";

  const TempDirectory files_;
  std::unique_ptr<ApiServer> server_;
  RestConfig config_;  // the address of the server, without credentials
  std::unique_ptr<Client> manager_;
};

TEST_F(ServiceAccounts, EachControllerHasThePermissionsOfItsAccount) {
  const Client deployments = ClientOf("deployment-controller");
  const Client replica_sets = ClientOf("replicaset-controller");
  const auto pod = [&](const Client& client) {
    return client.Create(DescriptorOf<Pod>(), "default", scenarios::PodJson("p", "{}")).status();
  };
  const auto patch = [&](const Client& client) {
    return client.Patch<Deployment>({"default", "web"}, PatchType::kMerge, kLabel).status();
  };
  EXPECT_TRUE(patch(deployments).ok()) << patch(deployments).ToString();
  EXPECT_TRUE(deployments.Delete<ReplicaSet>({"default", "other"}).ok());
  EXPECT_TRUE(pod(deployments).IsForbidden());
  EXPECT_THAT(pod(deployments).message(),
              HasSubstr("system:serviceaccount:kube-system:deployment-controller"));
  EXPECT_TRUE(patch(replica_sets).IsForbidden());
  EXPECT_TRUE(pod(replica_sets).ok());
  server_->Kubectl({"get", "serviceaccount", "deployment-controller", "--namespace=kube-system"});

  EXPECT_TRUE(patch(*manager_).IsForbidden()) << "the manager itself writes no more";
  EXPECT_TRUE(manager_->ListAll<Deployment>("")) << "but reads";
}

TEST_F(ServiceAccounts, TheManagerCannotGetTokensOfOtherAccounts) {
  server_->Kubectl({"create", "serviceaccount", "admin", "--namespace=kube-system"});
  const Status status = ClientOf("admin").ListAll<Pod>("").status();
  EXPECT_TRUE(status.IsUnauthorized()) << status.ToString();
  EXPECT_THAT(status.message(),
              HasSubstr("service account kube-system/admin: no token: Forbidden"));
}

}  // namespace
}  // namespace capstan::e2e
