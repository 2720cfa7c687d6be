#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stop_token>

#include <capstan/runtime/runtime.h>

#include "client/auth/exec_credential.h"
#include "client/auth/exec_credential_process.h"
#include "support/temp_folder.h"
#include "support/tls_authority.h"

namespace capstan {
namespace {

using client::Credential;
using client::Credentials;
using client::ExecInfo;
using client::ParseExecCredential;
using client::RequestScope;
using ::testing::HasSubstr;

// Prints a token with the number of the run, with the expiry EXPIRES unless that is empty.
constexpr const char* kCountingPlugin = R"sh(
echo run >> "$LOG"
[ -z "$EXPIRES" ] || expires=", \"expirationTimestamp\": \"$EXPIRES\""
cat <<END
{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",
 "spec": {}, "status": {"token": "token-$(wc -l < "$LOG" | tr -d ' ')" $expires}}
END
)sh";

class ExecCredential : public ::testing::Test {
 protected:
  ExecCredential() {
    exec_.api_version = client::kExecV1;
    exec_.interactive_mode = "Never";
    exec_.env = {{"LOG", folder_.Path("log")}};
  }

  std::unique_ptr<Credentials> New() {
    RestConfig config;
    config.server = "https://127.0.0.1:6443";
    config.exec = exec_;
    auto credentials = client::NewExecCredentials(config, SystemRuntime());
    EXPECT_TRUE(credentials) << credentials.status().ToString();
    return *std::move(credentials);
  }

  static std::string Token(const Result<Credential>& credential) {
    return credential ? credential->authorization : credential.status().ToString();
  }

  void ExpectError(const ::testing::Matcher<std::string>& message) {
    const auto credential = New()->Get(scope_);
    ASSERT_FALSE(credential);
    EXPECT_EQ(credential.status().reason(), StatusReason::kTransport);
    EXPECT_THAT(credential.status().message(), message);
  }

  TempFolder folder_;
  ExecConfig exec_;
  const RequestScope scope_{SystemRuntime().clock(), {}, std::nullopt};
};

TEST_F(ExecCredential, IsCachedWithoutAnExpiration) {
  exec_.command = folder_.WriteScript("plugin", kCountingPlugin);
  const auto credentials = New();
  EXPECT_EQ(Token(credentials->Get(scope_)), "Bearer token-1");
  EXPECT_EQ(Token(credentials->Get(scope_)), "Bearer token-1");
}

TEST_F(ExecCredential, IsCachedUntilItExpires) {
  exec_.command = folder_.WriteScript("plugin", kCountingPlugin);
  exec_.env.emplace_back("EXPIRES", "2999-01-01T00:00:00Z");
  const auto credentials = New();
  EXPECT_EQ(Token(credentials->Get(scope_)), "Bearer token-1");
  EXPECT_EQ(Token(credentials->Get(scope_)), "Bearer token-1");
}

TEST_F(ExecCredential, IsRenewedAfterItsExpiration) {
  exec_.command = folder_.WriteScript("plugin", kCountingPlugin);
  exec_.env.emplace_back("EXPIRES", "2020-01-01T00:00:00Z");
  const auto credentials = New();
  EXPECT_EQ(Token(credentials->Get(scope_)), "Bearer token-1");
  EXPECT_EQ(Token(credentials->Get(scope_)), "Bearer token-2");
}

TEST_F(ExecCredential, IsRenewedAfterARefusal) {
  exec_.command = folder_.WriteScript("plugin", kCountingPlugin);
  const auto credentials = New();
  const auto first = credentials->Get(scope_);
  ASSERT_TRUE(first);
  EXPECT_EQ(Token(credentials->Refresh(*first, scope_)), "Bearer token-2");
  // Another request that was rejected with the first token gets the second one.
  EXPECT_EQ(Token(credentials->Refresh(*first, scope_)), "Bearer token-2");
}

TEST_F(ExecCredential, ConcurrentCallersShareOneRun) {
  exec_.command = folder_.WriteScript("plugin", kCountingPlugin);
  const auto credentials = New();
  std::array<std::unique_ptr<Thread>, 8> threads;
  for (auto& thread : threads) {
    thread = SystemRuntime().Start("client", [&] {
      const RequestScope scope(SystemRuntime().clock(), {}, std::nullopt);
      EXPECT_EQ(Token(credentials->Get(scope)), "Bearer token-1");
    });
  }
  for (auto& thread : threads) thread->Join();
  EXPECT_EQ(folder_.Read("log"), "run\n");
}

TEST_F(ExecCredential, ThePluginGetsArgumentsAndVariables) {
  exec_.command = folder_.WriteScript("plugin", R"sh(
echo "$@" "$EXTRA" "$HOME" "$KUBERNETES_EXEC_INFO" > "$LOG"
read line && echo "input: $line" >> "$LOG"
exit 3
)sh");
  exec_.args = {"get", "a token"};
  exec_.env.emplace_back("EXTRA", "more");
  ScopedVariable home("HOME", "/home/jane");
  ExpectError(HasSubstr("failed with exit code 3"));
  EXPECT_EQ(folder_.Read("log"),
            "get a token more /home/jane {\"kind\":\"ExecCredential\",\"apiVersion\":"
            "\"client.authentication.k8s.io/v1\",\"spec\":{\"interactive\":false}}\n");
}

TEST_F(ExecCredential, AMissingPluginIsAnErrorWithTheInstallHint) {
  exec_.command = "no-such-plugin";
  exec_.install_hint = "Install it with: make plugin";
  ExpectError(::testing::AllOf(HasSubstr("cannot run \"no-such-plugin\": No such file"),
                               HasSubstr("Install it with: make plugin")));
}

TEST_F(ExecCredential, MalformedOutputIsAnError) {
  exec_.command = "echo";
  exec_.args = {"hello"};
  ExpectError(HasSubstr("not valid JSON"));
}

TEST_F(ExecCredential, AKilledPluginIsAnError) {
  exec_.command = folder_.WriteScript("plugin", "kill -9 $$\n");
  ExpectError(HasSubstr("terminated by signal 9"));
}

TEST_F(ExecCredential, APluginIsKilledWhenTheRequestIsCanceled) {
  exec_.command = folder_.WriteScript("plugin", "sleep 1000\n");
  const RequestScope scope(SystemRuntime().clock(), {}, std::chrono::milliseconds(50));
  EXPECT_EQ(New()->Get(scope).status().reason(), StatusReason::kDeadlineExceeded);
  std::stop_source stop;
  const auto stopper = SystemRuntime().Start("stopper", [&] { stop.request_stop(); });
  const RequestScope stopped(SystemRuntime().clock(), stop.get_token(), std::nullopt);
  EXPECT_TRUE(New()->Get(stopped).status().IsCanceled());
}

TEST_F(ExecCredential, APluginIsKilledAfterItsTimeout) {
  client::ProcessOptions options;
  options.command = "sleep";
  options.args = {"1000"};
  options.time_limit = std::chrono::milliseconds(50);
  const auto output = client::RunProcess(options, SystemRuntime(), scope_);
  EXPECT_THAT(output.status().message(), HasSubstr("took too long"));
  options.command = folder_.WriteScript("closes-its-output", "exec >&-\nexec sleep 1000\n");
  EXPECT_THAT(client::RunProcess(options, SystemRuntime(), scope_).status().message(),
              HasSubstr("took too long"));
}

TEST_F(ExecCredential, APluginThatPrintsTooMuchIsKilled) {
  client::ProcessOptions options;
  options.command = "yes";
  const auto output = client::RunProcess(options, SystemRuntime(), scope_);
  EXPECT_THAT(output.status().message(), HasSubstr("wrote more than"));
}

TEST(ExecInfo, ContainsTheClusterOnRequest) {
  RestConfig config;
  config.server = "https://api.test:6443";
  config.tls.server_name = "other.test";
  config.proxy_url = "http://proxy:1";
  config.exec.emplace();
  config.exec->api_version = client::kExecV1Beta1;
  config.exec->provide_cluster_info = true;
  config.exec->cluster_config_json = R"({"audience":"a"})";
  EXPECT_EQ(ExecInfo(config, "PEM", true),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
            R"("spec":{"cluster":{"server":"https://api.test:6443","tls-server-name":"other.test",)"
            R"("certificate-authority-data":"UEVN","proxy-url":"http://proxy:1",)"
            R"("config":{"audience":"a"}},"interactive":true}})");
}

TEST(ParseExecCredential, RefusesUnusableCredentials) {
  const auto refused = [](const std::string& kind, const std::string& version,
                          const std::string& status) {
    const auto answer = ParseExecCredential(
        R"({"kind":")" + kind + R"(","apiVersion":")" + version + "\"" + status + "}",
        client::kExecV1);
    EXPECT_FALSE(answer);
    return answer.status().message();
  };
  const std::string kind = "ExecCredential";
  const std::string v1(client::kExecV1);
  EXPECT_THAT(refused("Secret", v1, ""), HasSubstr("not of kind ExecCredential"));
  EXPECT_THAT(refused(kind, "v1", ""), HasSubstr("its output has apiVersion \"v1\""));
  EXPECT_THAT(refused(kind, v1, ""), HasSubstr("no status"));
  EXPECT_THAT(refused(kind, v1, R"(,"status":{})"), HasSubstr("neither a token nor"));
  EXPECT_THAT(refused(kind, v1, R"(,"status":{"token":"a\nb"})"), HasSubstr("status.token"));
  EXPECT_THAT(refused(kind, v1, R"(,"status":{"token":"a","expirationTimestamp":"soon"})"),
              HasSubstr("status.expirationTimestamp"));
  EXPECT_THAT(refused(kind, v1, R"(,"status":{"clientKeyData":"x"})"), HasSubstr("or neither"));
  EXPECT_THAT(refused(kind, v1, R"(,"status":{"clientKeyData":"x","clientCertificateData":"y"})"),
              HasSubstr("status.clientCertificateData contains no PEM certificate"));
}

}  // namespace
}  // namespace capstan
