// Who may read the manager's pages on a real kube-apiserver: users with the token of a service
// account, with a client certificate of the cluster's authority, or authenticated by a proxy.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <capstan/client/rest_config.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "page_client.h"
#include "process.h"
#include "support/client_authority.h"
#include "support/paths.h"

namespace capstan::e2e {
namespace {

using testing::CertificateSpec;
using testing::ClientAuthority;
using ::testing::HasSubstr;

constexpr char kScraper[] = "system:serviceaccount:default:scraper";

class Authentication : public ::testing::Test {
 protected:
  using Answer = PageAnswer;
  using Headers = std::vector<std::pair<std::string, std::string>>;

  void SetUp() override {
    const auto kinds = ServerKinds();
    if (std::find(kinds.begin(), kinds.end(), ServerKind::kReal) == kinds.end()) {
      GTEST_SKIP() << "there is no kube-apiserver";
    }
    const std::string clients = (files_.path() / "clients.crt").string();
    const std::string proxies = (files_.path() / "proxies.crt").string();
    WriteFile(clients, clients_.pem());
    WriteFile(proxies, proxies_.pem());
    // kube-apiserver publishes these settings for other servers.
    server_ = NewKubeApiServer({"--client-ca-file=" + clients,
                                "--requestheader-client-ca-file=" + proxies,
                                "--requestheader-allowed-names=front-proxy",
                                "--requestheader-username-headers=X-Remote-User",
                                "--requestheader-group-headers=X-Remote-Group",
                                "--requestheader-extra-headers-prefix=X-Remote-Extra-"});
    for (const char* account : {"scraper", "other"}) {
      server_->Kubectl({"create", "serviceaccount", account});
    }
    server_->Kubectl(
        {"create", "clusterrole", "metrics-reader", "--verb=get", "--non-resource-url=/metrics"});
    server_->Kubectl({"create", "clusterrolebinding", "scraper", "--clusterrole=metrics-reader",
                      "--serviceaccount=default:scraper"});
    port_ = FreePorts(1)[0];
    manager_ = std::make_unique<Process>(
        std::vector<std::string>{tests::ManagerProgram(),
                                 "--kubeconfig=" + server_->kubeconfig().string(),
                                 "--leader-elect=false", "--bind-address=127.0.0.1",
                                 "--secure-port=" + std::to_string(port_), "-v=4"},
        files_.path() / "manager.log");
    ASSERT_TRUE(Becomes(200, [&] { return Get("/healthz", {}); })) << manager_->LogTail();
  }
  void TearDown() override {
    if (!manager_) return;
    manager_->Kill(SIGTERM);
    EXPECT_EQ(manager_->Wait(Seconds(30)), 0) << manager_->LogTail();
  }

  RestConfig WithToken(const std::string& token) const {
    RestConfig config;
    config.bearer_token = token;
    return config;
  }
  RestConfig WithTokenOf(const std::string& account) const {
    const std::string token = server_->Kubectl({"create", "token", account, "--duration=1h"});
    return WithToken(token.substr(0, token.find('\n')));
  }
  static RestConfig WithCertificate(const ClientAuthority& authority, const CertificateSpec& spec) {
    const testing::IssuedCertificate issued = authority.IssueWithKey(spec);
    RestConfig config;
    config.tls.client_cert_pem = testing::PemOfDer(issued.der);
    config.tls.client_key_pem = issued.key_pem;
    return config;
  }

  Answer Get(const std::string& path, const RestConfig& config, const Headers& headers = {}) const {
    return AskPage(port_, "GET", path, config, headers);
  }
  // The manager listens, and reads the authentication settings of the API server, some time after
  // it starts.
  template <class Ask>
  static bool Becomes(int status, Ask ask) {
    const auto deadline = std::chrono::steady_clock::now() + Seconds(30);
    while (ask().status != status) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(Milliseconds(50));
    }
    return true;
  }

  const TempDirectory files_;
  const ClientAuthority clients_{"clients", nullptr, "critical,CA:TRUE",
                                 SystemRuntime().clock().Now()};
  const ClientAuthority proxies_{"proxies", nullptr, "critical,CA:TRUE",
                                 SystemRuntime().clock().Now()};
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Process> manager_;
  int port_ = 0;
};

TEST_F(Authentication, ATokenGivesAccessToWhatItsAccountMayRead) {
  const RestConfig scraper = WithTokenOf("scraper");
  const Answer metrics = Get("/metrics", scraper);
  EXPECT_EQ(metrics.status, 200) << metrics.body << manager_->LogTail();
  EXPECT_THAT(metrics.body, HasSubstr("apiserver_delegated_authn_request_total{code=\"201\"}"));
  const Answer whyz = Get("/whyz", scraper);
  EXPECT_EQ(whyz.status, 403);
  EXPECT_THAT(whyz.body, HasSubstr(R"(forbidden: User \")" + std::string(kScraper) +
                                   R"(\" cannot get path \"/whyz\")"));
  EXPECT_EQ(Get("/metrics", WithTokenOf("other")).status, 403);
}

TEST_F(Authentication, WithoutValidCredentialsOnlyHealthIsServed) {
  for (const char* path : {"/metrics", "/whyz", "/no-such-page", "/healthz/../metrics"}) {
    EXPECT_EQ(Get(path, {}).status, 401) << path;
    EXPECT_EQ(Get(path, WithToken("wrong")).status, 401) << path;
    EXPECT_EQ(Get(path, {}, {{"X-Remote-User", kScraper}}).status, 401) << path;
  }
  for (const char* path : {"/healthz", "/livez"}) EXPECT_EQ(Get(path, {}).status, 200) << path;
}

TEST_F(Authentication, AClusterCertificateAuthenticatesItsSubject) {
  const RestConfig admin =
      WithCertificate(clients_, {.common_names = {"admin"}, .organizations = {"system:masters"}});
  EXPECT_TRUE(Becomes(200, [&] { return Get("/metrics", admin); })) << manager_->LogTail();
  EXPECT_EQ(Get("/metrics", WithCertificate(clients_, {.common_names = {"jane"}})).status, 403);
  EXPECT_EQ(Get("/metrics", WithCertificate(clients_, {.common_names = {kScraper}})).status, 200);
  const ClientAuthority others("clients", nullptr, "critical,CA:TRUE",
                               SystemRuntime().clock().Now());
  EXPECT_EQ(Get("/metrics", WithCertificate(others, {.common_names = {"admin"},
                                                     .organizations = {"system:masters"}}))
                .status,
            401);
}

TEST_F(Authentication, AFrontProxyPassesOnTheUser) {
  const RestConfig proxy = WithCertificate(proxies_, {.common_names = {"front-proxy"}});
  const Headers scraper = {{"X-Remote-User", kScraper}};
  EXPECT_TRUE(Becomes(200, [&] { return Get("/metrics", proxy, scraper); })) << manager_->LogTail();
  EXPECT_EQ(Get("/metrics", proxy, {{"X-Remote-User", "jane"}}).status, 403);
  EXPECT_EQ(Get("/metrics", proxy).status, 401);
  EXPECT_EQ(
      Get("/metrics", WithCertificate(proxies_, {.common_names = {"other-proxy"}}), scraper).status,
      401);
}

TEST_F(Authentication, HealthIsServedDuringAnOutage) {
  const RestConfig scraper = WithTokenOf("scraper");
  server_->Stop();
  EXPECT_EQ(Get("/healthz", {}).status, 200);
  EXPECT_EQ(Get("/metrics", scraper).status, 401);
  server_->Start();
  EXPECT_TRUE(Becomes(200, [&] { return Get("/metrics", scraper); })) << manager_->LogTail();
}

}  // namespace
}  // namespace capstan::e2e
