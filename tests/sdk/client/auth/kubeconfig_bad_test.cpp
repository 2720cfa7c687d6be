// Every file in testdata/kubeconfig/bad is rejected with an error that says where and why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/format.h>

#include "base/text/base64.h"
#include "support/paths.h"
#include "support/temp_folder.h"
#include "support/tls_authority.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

const std::string kFolder =
    tests::TestFolder().string() + "/sdk/client/auth/testdata/kubeconfig/bad/";

// The error text after "kubeconfig <path>: ".
const std::map<std::string, std::string> kErrors = {
    {"not_yaml", "line 2: not YAML: "},
    {"not_a_mapping", "must be a mapping"},
    {"empty", "contains no configuration"},
    {"no_clusters_users_or_contexts", "contains no configuration"},
    {"wrong_kind", "kind: must be Config"},
    {"wrong_api_version", "apiVersion: must be v1"},
    {"clusters_is_a_mapping", "clusters: must be a list"},
    {"cluster_without_name", "clusters[0].name: must be set"},
    {"cluster_is_a_string", "clusters[\"c\"].cluster: must be a mapping"},
    {"duplicate_cluster", "clusters[\"c\"]: this name appears twice"},
    {"duplicate_user", "users[\"u\"]: this name appears twice"},
    {"duplicate_context", "contexts[\"x\"]: this name appears twice"},
    {"no_current_context", "current-context: must be set"},
    {"current_context_does_not_exist", "unknown context \"y\" (known: x)"},
    {"current_context_is_a_list", "current-context: must be a string"},
    {"context_names_missing_cluster", "contexts[\"x\"].cluster: unknown cluster \"d\" (known: c)"},
    {"context_names_missing_user", "contexts[\"x\"].user: unknown user \"v\" (known: u)"},
    {"context_without_cluster", "contexts[\"x\"].cluster: must be set"},
    {"server_missing", "clusters[\"c\"].server: must be set"},
    {"server_with_bad_scheme", "clusters[\"c\"].server: \"ftp://127.0.0.1\" is not a server URL: "},
    {"server_with_bad_port", "clusters[\"c\"].server: "},
    {"server_with_path_but_no_scheme", "clusters[\"c\"].server: "},
    {"server_with_space", "clusters[\"c\"].server: "},
    {"server_with_password", "clusters[\"c\"].server: the server URL must not contain credentials"},
    {"server_is_a_list", "clusters[\"c\"].server: must be a string"},
    {"ca_data_not_base64", "clusters[\"c\"].certificate-authority-data: not base64"},
    {"ca_data_not_pem", "clusters[\"c\"].certificate-authority-data: contains no PEM certificate"},
    {"ca_data_broken_pem",
     "clusters[\"c\"].certificate-authority-data: certificate number 1 cannot be decoded"},
    {"ca_file_missing", "clusters[\"c\"].certificate-authority: cannot read " + kFolder +
                            "absent.crt: No such file or directory"},
    {"ca_file_and_ca_data",
     "clusters[\"c\"].certificate-authority-data: certificate-authority is set too"},
    {"insecure_flag_not_a_bool", "clusters[\"c\"].insecure-skip-tls-verify: must be true or false"},
    {"insecure_flag_quoted", "clusters[\"c\"].insecure-skip-tls-verify: must be true or false"},
    {"proxy_url_socks5", "clusters[\"c\"].proxy-url: the proxy's scheme must be \"http\""},
    {"proxy_url_https", "clusters[\"c\"].proxy-url: the proxy's scheme must be \"http\""},
    {"proxy_url_without_scheme", "clusters[\"c\"].proxy-url: the proxy's scheme must be \"http\""},
    {"client_cert_data_not_base64", "users[\"u\"].client-certificate-data: not base64"},
    {"client_cert_without_key", "users[\"u\"].client-key-data: the client certificate needs"},
    {"client_cert_data_not_pem",
     "users[\"u\"].client-certificate-data: contains no PEM certificate"},
    {"client_cert_file_missing",
     "users[\"u\"].client-certificate: cannot read " + kFolder + "absent.crt"},
    {"token_file_missing", "users[\"u\"].tokenFile: cannot read " + kFolder + "absent"},
    {"token_is_a_mapping", "users[\"u\"].token: must be a string"},
    {"token_and_username", "users[\"u\"].username: cannot be combined with a token"},
    {"auth_provider", "users[\"u\"].auth-provider: is not supported"},
    {"exec_without_command", "users[\"u\"].exec.command: must be set"},
    {"exec_without_api_version", "users[\"u\"].exec.apiVersion: must be set"},
    {"exec_with_v1alpha1",
     "users[\"u\"].exec.apiVersion: \"client.authentication.k8s.io/v1alpha1\" is not supported"},
    {"exec_v1_without_interactive_mode", "users[\"u\"].exec.interactiveMode: must be set with"},
    {"exec_with_bad_interactive_mode",
     "users[\"u\"].exec.interactiveMode: \"Sometimes\" is not one of"},
    {"exec_env_without_name", "users[\"u\"].exec.env: each entry needs a name"},
    {"exec_args_not_a_list", "users[\"u\"].exec.args: must be a list of strings"},
    {"exec_and_token", "users[\"u\"].exec: cannot be combined with a token"},
    {"impersonation_without_user", "users[\"u\"].as: must be set"},
};

Status Load(const std::string& path) {
  const auto config = LoadKubeconfig({.paths = {path}, .context = "", .master = ""});
  EXPECT_FALSE(config) << path;
  return config.status();
}

TEST(BadKubeconfig, IsAnErrorThatNamesFileEntryAndField) {
  for (const auto& [name, error] : kErrors) {
    const std::string path = Format("{}{}.yaml", kFolder, name);
    const Status status = Load(path);
    EXPECT_EQ(status.reason(), StatusReason::kInvalidArgument) << name;
    EXPECT_THAT(status.message(), HasSubstr(Format("kubeconfig {}: {}", path, error))) << name;
    EXPECT_THAT(status.message(), ::testing::Not(HasSubstr("secret"))) << name;
  }
}

TEST(BadKubeconfig, IsCoveredByTheseTests) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    EXPECT_TRUE(kErrors.contains(entry.path().stem())) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, kErrors.size());
}

// Cases that need valid PEM.
class BadIdentity : public ::testing::Test {
 protected:
  std::string MessageFor(const std::string& cluster, const std::string& user) {
    const std::string path =
        folder_.Write("config", "clusters: [{name: c, cluster: {server: 'https://a', " + cluster +
                                    "}}]\nusers: [{name: u, user: {" + user +
                                    "}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                    "current-context: x\n");
    const Status status = Load(path);
    EXPECT_EQ(status.reason(), StatusReason::kInvalidArgument);
    return status.message();
  }
  static std::string Data(const std::string& field, const std::string& pem) {
    return field + ": " + text::EncodeBase64(pem) + ", ";
  }

  TempFolder folder_;
  const Authority authority_{"authority"};
  const Identity jane_ = authority_.Issue("jane", {});
};

TEST_F(BadIdentity, AKeyOfAnotherCertificateIsRefused) {
  const Identity other = authority_.Issue("other", {});
  EXPECT_THAT(
      MessageFor("", Data("client-certificate-data", jane_.cert_pem) +
                         Data("client-key-data", other.key_pem)),
      HasSubstr("users[\"u\"].client-key-data: the private key does not match the certificate"));
}

TEST_F(BadIdentity, ACertificateAsKeyIsRefused) {
  folder_.Write("jane.key", jane_.cert_pem);
  EXPECT_THAT(
      MessageFor("", Data("client-certificate-data", jane_.cert_pem) + "client-key: jane.key"),
      HasSubstr("users[\"u\"].client-key: contains no PEM private key that can be decoded"));
}

TEST_F(BadIdentity, AnEncryptedKeyIsRefused) {
  const std::string key =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\naGVsbG8=\n-----END ENCRYPTED PRIVATE KEY-----\n";
  EXPECT_THAT(MessageFor("", Data("client-certificate-data", jane_.cert_pem) +
                                 Data("client-key-data", key)),
              HasSubstr("users[\"u\"].client-key-data: the private key is encrypted"));
}

TEST_F(BadIdentity, AnAuthorityWithTheInsecureFlagIsRefused) {
  EXPECT_THAT(
      MessageFor(
          Data("certificate-authority-data", authority_.pem()) + "insecure-skip-tls-verify: true",
          "token: t"),
      HasSubstr("clusters[\"c\"].insecure-skip-tls-verify: cannot be combined with a certificate"));
}

TEST_F(BadIdentity, AnAuthorityBundleWithAnInvalidCertificateIsRefused) {
  const std::string bundle = authority_.pem() + "-----BEGIN CERTIFICATE-----\n!\n-----END";
  EXPECT_THAT(
      MessageFor(Data("certificate-authority-data", bundle), "token: t"),
      HasSubstr(
          "clusters[\"c\"].certificate-authority-data: certificate number 2 cannot be decoded"));
}

TEST_F(BadIdentity, AnEmptyTokenFileIsRefused) {
  folder_.Write("token", "\n");
  EXPECT_THAT(MessageFor("", "tokenFile: token"),
              HasSubstr("users[\"u\"].tokenFile: " + folder_.Path("token") + " contains no token"));
}

}  // namespace
}  // namespace capstan
