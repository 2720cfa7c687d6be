#include "client/auth/in_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "support/tls_authority.h"

namespace capstan {
namespace {

using client::InClusterConfigFrom;
using ::testing::HasSubstr;

class InCluster : public ::testing::Test {
 protected:
  InCluster() {
    folder_.Write("token", "t\n");
    folder_.Write("ca.crt", Authority("authority").pem());
    folder_.Write("namespace", "team\n");
  }
  void ExpectError(const std::string& message) {
    const auto config = InClusterConfigFrom(folder_.path());
    EXPECT_EQ(config.status().reason(), StatusReason::kInvalidArgument);
    EXPECT_THAT(config.status().message(), HasSubstr(message));
  }

  TempFolder folder_;
  ScopedVariable host_{"KUBERNETES_SERVICE_HOST", "10.0.0.1"};
  ScopedVariable port_{"KUBERNETES_SERVICE_PORT", "443"};
};

TEST_F(InCluster, ReadsTheEnvironmentAndTheServiceAccount) {
  const auto config = InClusterConfigFrom(folder_.path());
  ASSERT_TRUE(config) << config.status().ToString();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_EQ(config->bearer_token_file, folder_.Path("token"));
  EXPECT_EQ(config->tls.ca_file, folder_.Path("ca.crt"));
  EXPECT_EQ(config->namespace_, "team");
}

TEST_F(InCluster, PutsAnIpv6AddressIntoBrackets) {
  ScopedVariable host("KUBERNETES_SERVICE_HOST", "fd00::1");
  EXPECT_EQ(InClusterConfigFrom(folder_.path())->server, "https://[fd00::1]:443");
}

TEST_F(InCluster, AMissingVariableIsAnErrorThatNamesIt) {
  ScopedVariable port("KUBERNETES_SERVICE_PORT", std::nullopt);
  ExpectError("environment variable KUBERNETES_SERVICE_PORT is not set");
  ScopedVariable host("KUBERNETES_SERVICE_HOST", std::nullopt);
  ExpectError("environment variable KUBERNETES_SERVICE_HOST is not set");
}

TEST_F(InCluster, AMissingOrInvalidFileIsAnErrorThatNamesIt) {
  folder_.Write("ca.crt", "no certificate");
  ExpectError(folder_.Path("ca.crt") + ": contains no PEM certificate");
  std::filesystem::remove(folder_.Path("ca.crt"));
  ExpectError("cannot read " + folder_.Path("ca.crt"));
  folder_.Write("token", "");
  ExpectError(folder_.Path("token") + " contains no token");
  std::filesystem::remove(folder_.Path("token"));
  ExpectError("cannot read " + folder_.Path("token"));
}

TEST_F(InCluster, WorksWithoutANamespaceFile) {
  std::filesystem::remove(folder_.Path("namespace"));
  const auto config = InClusterConfigFrom(folder_.path());
  ASSERT_TRUE(config);
  EXPECT_EQ(config->namespace_, "");
}

}  // namespace
}  // namespace capstan
