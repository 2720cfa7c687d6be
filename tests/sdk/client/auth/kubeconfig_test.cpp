#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/rest_config.h>
#include <capstan/log/log.h>

#include "base/text/base64.h"
#include "support/temp_folder.h"
#include "support/tls_authority.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class KubeconfigTest : public ::testing::Test {
 protected:
  RestConfig Load(KubeconfigOptions options) {
    const auto config = LoadKubeconfig(options);
    EXPECT_TRUE(config) << config.status().ToString();
    return config ? *config : RestConfig();
  }
  RestConfig Load(const std::string& text) {
    return Load({.paths = {folder_.Write("config", text)}, .context = "", .master = ""});
  }
  // Loads a file with one context, one cluster and one user.
  RestConfig LoadEntry(const std::string& cluster, const std::string& user) {
    return Load("clusters: [{name: c, cluster: {" + cluster + "}}]\nusers: [{name: u, user: {" +
                user + "}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n" +
                "current-context: x\n");
  }

  TempFolder folder_;
  ScopedVariable kubeconfig_{"KUBECONFIG", std::nullopt};
  ScopedVariable home_{"HOME", folder_.path()};
};

class WarningLines : public LogSink {
 public:
  void Write(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

// A file with one context `name` for the server https://`name`:1.
std::string ContextFile(const std::string& name, const std::string& token) {
  return "clusters: [{name: " + name + ", cluster: {server: 'https://" + name +
         ":1'}}]\nusers: [{name: user, user: {token: " + token + "}}]\ncontexts: [{name: " + name +
         ", context: {cluster: " + name + ", user: user}}]\ncurrent-context: " + name + "\n";
}

TEST_F(KubeconfigTest, UsesTheCurrentContext) {
  const RestConfig config = Load(R"(
apiVersion: v1
kind: Config
preferences: {colors: true}
unknown: ignored
clusters:
- name: other
  cluster: {server: https://other}
- name: c
  cluster:
    server: https://api.test:6443/prefix/
    tls-server-name: kubernetes
    insecure-skip-tls-verify: true
    proxy-url: http://proxy:3128
    disable-compression: true
    unknown: ignored
contexts:
- name: x
  context: {cluster: c, user: u, namespace: team, extensions: []}
users:
- name: u
  user:
    username: jane
    password: "1234"
    as: boss
    as-uid: 7
    as-groups: [a, b]
    as-user-extra: {scope: [s, t]}
current-context: x
)");
  EXPECT_EQ(config.server, "https://api.test:6443/prefix");
  EXPECT_EQ(config.tls.server_name, "kubernetes");
  EXPECT_TRUE(config.tls.insecure_skip_verify);
  EXPECT_EQ(config.proxy_url, "http://proxy:3128");
  EXPECT_EQ(config.namespace_, "team");
  EXPECT_EQ(config.username, "jane");
  EXPECT_EQ(config.password, "1234");
  EXPECT_EQ(config.impersonate_user, "boss");
  EXPECT_EQ(config.impersonate_uid, "7");
  EXPECT_THAT(config.impersonate_groups, ElementsAre("a", "b"));
  EXPECT_THAT(config.impersonate_extra, ElementsAre(Pair("scope", ElementsAre("s", "t"))));
}

TEST_F(KubeconfigTest, AcceptsJson) {
  const RestConfig config =
      Load(R"({"clusters":[{"name":"c","cluster":{"server":"https://a"}}],"current-context":"x",)"
           R"("contexts":[{"name":"x","context":{"cluster":"c","user":""}}],"users":null})");
  EXPECT_EQ(config.server, "https://a:443");
}

TEST_F(KubeconfigTest, AGivenContextReplacesTheCurrentOne) {
  const std::string path = folder_.Write(
      "config",
      "clusters: [{name: a, cluster: {server: 'https://a'}}, {name: b, cluster: {server: "
      "'https://b'}}]\ncontexts: [{name: a, context: {cluster: a}}, {name: b, context: {cluster: "
      "b}}]\ncurrent-context: a\n");
  EXPECT_EQ(Load({.paths = {path}, .context = "b", .master = ""}).server, "https://b:443");
}

TEST_F(KubeconfigTest, CredentialsAreInlineOrFilesRelativeToTheKubeconfig) {
  const Authority authority("authority");
  const Identity jane = authority.Issue("jane", {});
  folder_.Write("pki/ca.crt", authority.pem());
  folder_.Write("pki/jane.key", jane.key_pem);
  folder_.Write("pki/token", "t\n");
  const RestConfig config = LoadEntry(
      "server: 'https://a', certificate-authority: pki/ca.crt",
      "client-certificate-data: " + text::EncodeBase64(jane.cert_pem) +
          ", client-key: ./pki/jane.key, token: old, tokenFile: " + folder_.Path("pki/token"));
  EXPECT_EQ(config.tls.ca_file, folder_.Path("pki/ca.crt"));
  EXPECT_EQ(config.tls.ca_pem, "");
  EXPECT_EQ(config.tls.client_cert_pem, jane.cert_pem);
  EXPECT_EQ(config.tls.client_key_file, folder_.Path("pki/jane.key"));
  EXPECT_EQ(config.bearer_token, "old");
  EXPECT_EQ(config.bearer_token_file, folder_.Path("pki/token"));
}

TEST_F(KubeconfigTest, ReadsACredentialPlugin) {
  const RestConfig config = Load(R"(
clusters:
- name: c
  cluster:
    server: https://a
    extensions:
    - name: other
      extension: x
    - name: client.authentication.k8s.io/exec
      extension: {audience: api, quoted: "1", plain: 1, on: [true, null, 0.5, -3]}
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./bin/plugin
      args: [get, token, 5]
      env:
      - {name: A, value: b}
      - {name: EMPTY}
      installHint: |
        Get it.
      provideClusterInfo: true
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
)");
  ASSERT_TRUE(config.exec);
  EXPECT_EQ(config.exec->command, folder_.Path("bin/plugin"));
  EXPECT_THAT(config.exec->args, ElementsAre("get", "token", "5"));
  EXPECT_THAT(config.exec->env, ElementsAre(Pair("A", "b"), Pair("EMPTY", "")));
  EXPECT_EQ(config.exec->install_hint, "Get it.\n");
  EXPECT_TRUE(config.exec->provide_cluster_info);
  EXPECT_EQ(config.exec->interactive_mode, "");
  EXPECT_EQ(config.exec->cluster_config_json,
            R"({"audience":"api","quoted":"1","plain":1,"on":[true,null,0.5,-3]})");
}

TEST_F(KubeconfigTest, APluginWithoutASlashIsSearchedInThePath) {
  const RestConfig config =
      LoadEntry("server: 'https://a'",
                "exec: {apiVersion: client.authentication.k8s.io/v1, command: plugin, "
                "interactiveMode: IfAvailable}");
  ASSERT_TRUE(config.exec);
  EXPECT_EQ(config.exec->command, "plugin");
}

TEST_F(KubeconfigTest, AnAddressWithoutASchemeUsesHttpsOnlyWithTlsSettings) {
  EXPECT_EQ(LoadEntry("server: 'a:6443'", "token: t").server, "http://a:6443");
  EXPECT_EQ(LoadEntry("server: 'a:6443', insecure-skip-tls-verify: true", "token: t").server,
            "https://a:6443");
  EXPECT_EQ(LoadEntry("server: '[::1]:6443'", "token: t").server, "http://[::1]:6443");
}

TEST_F(KubeconfigTest, TheFirstOfSeveralFilesTakesPrecedence) {
  const std::string one = folder_.Write("one", ContextFile("a", "first"));
  const std::string two = folder_.Write("two", ContextFile("b", "second"));
  const RestConfig config = Load({.paths = {one, two}, .context = "", .master = ""});
  EXPECT_EQ(config.server, "https://a:1");
  const RestConfig other = Load({.paths = {one, two}, .context = "b", .master = ""});
  EXPECT_EQ(other.server, "https://b:1");
  EXPECT_EQ(other.bearer_token, "first") << "the user of the first file";
}

TEST_F(KubeconfigTest, PathsAreRelativeToTheFileThatNamesThem) {
  folder_.Write("deep/token", "t");
  const std::string user =
      folder_.Write("deep/user", "users: [{name: u, user: {tokenFile: token}}]\n");
  const std::string rest =
      folder_.Write("rest",
                    "clusters: [{name: c, cluster: {server: 'https://a'}}]\ncontexts: [{name: x, "
                    "context: {cluster: c, user: u}}]\ncurrent-context: x\n");
  const RestConfig config = Load({.paths = {rest, user}, .context = "", .master = ""});
  EXPECT_EQ(config.bearer_token_file, folder_.Path("deep/token"));
}

TEST_F(KubeconfigTest, SomeFilesOfTheEnvironmentVariableCanBeMissing) {
  const std::string path = folder_.Write("one", ContextFile("a", "t"));
  ScopedVariable variable("KUBECONFIG", "/absent/config::" + path + ":" + path);
  EXPECT_EQ(Load(KubeconfigOptions{}).server, "https://a:1");
}

TEST_F(KubeconfigTest, DefaultsToTheFileInTheHomeDirectory) {
  folder_.Write(".kube/config", ContextFile("home", "t"));
  EXPECT_EQ(Load(KubeconfigOptions{}).server, "https://home:1");
}

TEST_F(KubeconfigTest, AGivenFileMustExist) {
  const auto config = LoadKubeconfig({.paths = {"/absent/config"}, .context = "", .master = "m"});
  EXPECT_EQ(config.status().reason(), StatusReason::kInvalidArgument);
  EXPECT_EQ(config.status().message(),
            "kubeconfig: cannot read /absent/config: No such file or directory");
}

TEST_F(KubeconfigTest, WithoutAnyFileTheErrorListsTheSearchedPaths) {
  auto config = LoadKubeconfig({});
  EXPECT_EQ(config.status().reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(config.status().message(), HasSubstr(folder_.Path(".kube/config")));
  ScopedVariable variable("KUBECONFIG", "/absent/a:/absent/b");
  config = LoadKubeconfig({});
  EXPECT_THAT(config.status().message(),
              HasSubstr("no kubeconfig found in $KUBECONFIG: /absent/a, "));
}

TEST_F(KubeconfigTest, AMasterUrlIsSufficient) {
  EXPECT_EQ(Load({.paths = {}, .context = "", .master = "127.0.0.1:8080"}).server,
            "http://127.0.0.1:8080");
  EXPECT_EQ(Load({.paths = {}, .context = "", .master = "https://api.test"}).server,
            "https://api.test:443");
}

TEST_F(KubeconfigTest, AMasterUrlReplacesTheServerAndItsTlsName) {
  const std::string path =
      folder_.Write("config",
                    "clusters: [{name: c, cluster: {server: 'https://a', tls-server-name: n, "
                    "insecure-skip-tls-verify: true}}]\nusers: [{name: u, user: {token: t}}]\n"
                    "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n");
  const RestConfig config = Load({.paths = {path}, .context = "", .master = "b:6443"});
  EXPECT_EQ(config.server, "https://b:6443");
  EXPECT_EQ(config.tls.server_name, "");
  EXPECT_TRUE(config.tls.insecure_skip_verify);
  EXPECT_EQ(config.bearer_token, "t");
}

TEST_F(KubeconfigTest, AnInvalidMasterUrlIsAnErrorThatNamesIt) {
  const auto config = LoadKubeconfig({.paths = {}, .context = "", .master = "ftp://x"});
  EXPECT_EQ(config.status().reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(config.status().message(), HasSubstr("master: \"ftp://x\""));
}

TEST_F(KubeconfigTest, AnInvalidUnusedEntryIsIgnored) {
  const RestConfig config = Load(
      "clusters: [{name: c, cluster: {server: 'https://a'}}, {name: bad, cluster: {server: "
      "'ftp://x'}}]\ncontexts: [{name: x, context: {cluster: c}}, {name: y, context: {cluster: "
      "none}}]\ncurrent-context: x\n");
  EXPECT_EQ(config.server, "https://a:443");
}

TEST_F(KubeconfigTest, AValueThatContainsItselfIsRefused) {
  const std::string path = folder_.Write("config", "clusters: &a\n  - *a\n");
  const auto config = LoadKubeconfig({.paths = {path}, .context = "", .master = ""});
  EXPECT_EQ(config.status().message(),
            "kubeconfig " + path + ": line 2: the anchor contains itself");
}

TEST_F(KubeconfigTest, TheLastValueOfADuplicateKeyIsUsedAndLogged) {
  WarningLines log;
  SetLogSink(&log);
  const RestConfig config = LoadEntry("server: 'https://a', server: 'https://b'", "token: t");
  SetLogSink(nullptr);
  EXPECT_EQ(config.server, "https://b:443");
  ASSERT_EQ(log.lines.size(), 1U);
  EXPECT_THAT(log.lines[0], HasSubstr("file=\"" + folder_.Path("config") + "\""));
  EXPECT_THAT(log.lines[0], HasSubstr("key=\"server\" line=1"));
}

}  // namespace
}  // namespace capstan
