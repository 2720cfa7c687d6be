// Which servers the transport trusts, and how it identifies itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/simulated_runtime.h>

#include "base/json/json_text.h"
#include "client/http/tls_context.h"
#include "http_transport_server.h"
#include "support/temp_folder.h"
#include "support/tls_authority.h"

namespace capstan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Responds with what it saw of the client: "<SNI>|<common name of its certificate>".
void Introduce(ServerConnection& connection) {
  if (!connection.Handshake()) return;
  while (connection.ReadRequest()) {
    connection.Answer(connection.server_name() + "|" + connection.client_name());
  }
}

class Tls : public ::testing::Test {
 protected:
  ScriptedServer& Serve(const std::vector<std::string>& names, const std::string& client_ca = "",
                        bool one_byte_at_a_time = false) {
    server_.emplace(Introduce,
                    ServerTls{authority_.Issue("server", names), client_ca, one_byte_at_a_time});
    config_.server = server_->Url();
    config_.tls.ca_pem = authority_.pem();
    return *server_;
  }

  Result<std::string> Ask() {
    if (!transport_) {
      auto transport = NewHttpTransport(config_, SystemRuntime());
      if (!transport) return transport.status();
      transport_ = *std::move(transport);
    }
    HttpRequest request;
    request.method = "GET";
    request.target = "/";
    auto response = transport_->RoundTrip(request, {});
    if (!response) return response.status();
    return ReadAll(**response, 1 << 20);
  }

  void ExpectAnswer(const std::string& answer) {
    const auto got = Ask();
    ASSERT_TRUE(got) << got.status().ToString();
    EXPECT_EQ(*got, answer);
  }

  void ExpectRefusal(const ::testing::Matcher<std::string>& message) {
    const auto got = Ask();
    ASSERT_FALSE(got) << *got;
    EXPECT_EQ(got.status().reason(), StatusReason::kTransport);
    EXPECT_THAT(got.status().message(), message);
  }

  const Authority authority_{"authority"};
  std::optional<ScriptedServer> server_;
  RestConfig config_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(Tls, AcceptsAnAddressThatTheCertificateNames) {
  Serve({"IP:127.0.0.1"});
  ExpectAnswer("|");
}

TEST_F(Tls, AcceptsAHostNameThatTheCertificateNamesAndSendsIt) {
  Serve({"DNS:localhost"});
  config_.server = "https://localhost:" + std::to_string(server_->port());
  ExpectAnswer("localhost|");
}

TEST_F(Tls, ReusesConnections) {
  Serve({"IP:127.0.0.1"});
  for (int i = 0; i < 5; ++i) ExpectAnswer("|");
  EXPECT_EQ(server_->connections(), 1);
}

TEST_F(Tls, RefusesACertificateForAnotherAddress) {
  Serve({"IP:127.0.0.2", "DNS:other.test"});
  ExpectRefusal(AllOf(HasSubstr(server_->Url()), HasSubstr("IP address mismatch"),
                      HasSubstr("valid for 127.0.0.2, other.test")));
}

TEST_F(Tls, RefusesACertificateForAnotherHostName) {
  Serve({"DNS:other.test"});
  config_.server = "https://localhost:" + std::to_string(server_->port());
  ExpectRefusal(AllOf(HasSubstr("hostname mismatch"), HasSubstr("valid for other.test")));
}

TEST_F(Tls, RefusesAWrongNameAfterASlowHandshake) {
  Serve({"DNS:other.test"}, "", true);
  ExpectRefusal(HasSubstr("IP address mismatch"));
}

TEST_F(Tls, DoesNotUseTheCommonNameAsAHostName) {
  server_.emplace(Introduce,
                  ServerTls{authority_.Issue("localhost", {"DNS:other.test"}), "", false});
  config_.server = "https://localhost:" + std::to_string(server_->port());
  config_.tls.ca_pem = authority_.pem();
  ExpectRefusal(HasSubstr("hostname mismatch"));
}

TEST_F(Tls, SendsAndVerifiesTlsServerNameInPlaceOfTheHost) {
  Serve({"DNS:api.cluster.test"});
  config_.tls.server_name = "api.cluster.test";
  ExpectAnswer("api.cluster.test|");
}

TEST_F(Tls, RefusesACertificateThatIsNotForTlsServerName) {
  Serve({"IP:127.0.0.1"});
  config_.tls.server_name = "api.cluster.test";
  ExpectRefusal(HasSubstr("hostname mismatch"));
}

TEST_F(Tls, RefusesAnUnknownAuthority) {
  Serve({"IP:127.0.0.1"});
  config_.tls.ca_pem = Authority("authority").pem();
  ExpectRefusal(HasSubstr("certificate verify failed"));
}

TEST_F(Tls, TrustsOnlySystemAuthoritiesByDefault) {
  Serve({"IP:127.0.0.1"});
  config_.tls.ca_pem.clear();
  ExpectRefusal(AllOf(HasSubstr("unable to get local issuer certificate"), HasSubstr("CN=server")));
}

TEST_F(Tls, TrustsEveryAuthorityOfABundle) {
  Serve({"IP:127.0.0.1"});
  config_.tls.ca_pem =
      Authority("one").pem() + "a comment\n" + Authority("two").pem() + "\n" + authority_.pem();
  ExpectAnswer("|");
}

TEST_F(Tls, VerifiesNothingWhenInsecure) {
  Serve({"DNS:other.test"});
  config_.tls.ca_pem.clear();
  config_.tls.insecure_skip_verify = true;
  ExpectAnswer("|");
}

TEST_F(Tls, PresentsTheConfiguredClientCertificate) {
  const Identity jane = authority_.Issue("jane", {});
  Serve({"IP:127.0.0.1"}, authority_.pem());
  config_.tls.client_cert_pem = jane.cert_pem;
  config_.tls.client_key_pem = jane.key_pem;
  ExpectAnswer("|jane");
}

TEST_F(Tls, PresentsAClientCertificateFromFiles) {
  TempFolder folder;
  const Identity jane = authority_.Issue("jane", {});
  Serve({"IP:127.0.0.1"}, authority_.pem());
  config_.tls.client_cert_file = folder.Write("cert", jane.cert_pem);
  config_.tls.client_key_file = folder.Write("key", jane.key_pem);
  ExpectAnswer("|jane");
}

TEST_F(Tls, PresentsTheClientCertificateOfACredentialPlugin) {
  TempFolder folder;
  const Identity jane = authority_.Issue("jane", {});
  std::string answer =
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":)";
  json::ObjectWriter status(answer);
  status.Key("clientCertificateData");
  json::AppendString(answer, jane.cert_pem);
  status.Key("clientKeyData");
  json::AppendString(answer, jane.key_pem);
  status.End();
  config_.exec.emplace();
  config_.exec->api_version = "client.authentication.k8s.io/v1beta1";
  config_.exec->command = "cat";
  config_.exec->args = {folder.Write("answer", answer + "}")};
  Serve({"IP:127.0.0.1"}, authority_.pem());
  ExpectAnswer("|jane");
}

TEST_F(Tls, ReportsThatTheServerRefusedTheClient) {
  const Identity stranger = Authority("other").Issue("stranger", {});
  Serve({"IP:127.0.0.1"}, authority_.pem());
  config_.tls.client_cert_pem = stranger.cert_pem;
  config_.tls.client_key_pem = stranger.key_pem;
  ExpectRefusal(HasSubstr(server_->Url()));
}

TEST_F(Tls, RefusesAKeyThatDoesNotBelongToTheCertificate) {
  Serve({"IP:127.0.0.1"});
  config_.tls.client_cert_pem = authority_.Issue("jane", {}).cert_pem;
  config_.tls.client_key_pem = authority_.Issue("jane", {}).key_pem;
  const auto got = Ask();
  EXPECT_EQ(got.status().reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(got.status().message(), HasSubstr("does not match the certificate"));
}

TEST_F(Tls, ReportsThatTheServerUsesPlainHttp) {
  ScriptedServer plain([](ServerConnection& connection) {
    connection.Send("HTTP/1.0 400 Bad Request\r\n\r\n");
    connection.WaitForClose();
  });
  config_.server = "https://" + plain.HostPort();
  config_.tls.insecure_skip_verify = true;
  ExpectRefusal(HasSubstr("is it plain HTTP?"));
}

TEST_F(Tls, ABodyUntilCloseWithoutCloseNotifyIsTruncated) {
  server_.emplace(
      [](ServerConnection& connection) {
        if (!connection.Handshake()) return;
        connection.ReadRequest();
        connection.Send("HTTP/1.1 200 OK\r\n\r\nhalf");
        connection.Break();
      },
      ServerTls{authority_.Issue("server", {"IP:127.0.0.1"}), "", false});
  config_.server = server_->Url();
  config_.tls.ca_pem = authority_.pem();
  ExpectRefusal(HasSubstr("closed by the server"));
}

TEST_F(Tls, ABodyUntilCloseCanEndWithCloseNotify) {
  server_.emplace(
      [](ServerConnection& connection) {
        if (!connection.Handshake()) return;
        connection.ReadRequest();
        connection.Send("HTTP/1.1 200 OK\r\n\r\nwhole");
      },
      ServerTls{authority_.Issue("server", {"IP:127.0.0.1"}), "", false});
  config_.server = server_->Url();
  config_.tls.ca_pem = authority_.pem();
  ExpectAnswer("whole");
}

class TlsFiles : public ::testing::Test {
 protected:
  void Write(const Identity& identity) {
    config_.client_cert_file = folder_.Write("cert", identity.cert_pem);
    config_.client_key_file = folder_.Write("key", identity.key_pem);
  }
  std::unique_ptr<client::TlsContextSource> Source() {
    auto source = client::TlsContextSource::Create(config_, "host", runtime_.clock());
    EXPECT_TRUE(source) << source.status().ToString();
    return *std::move(source);
  }
  static const client::TlsContext* Current(client::TlsContextSource& source) {
    const auto context = source.Current({});
    EXPECT_TRUE(context);
    return context->get();
  }

  testing::SimulatedRuntime runtime_;
  TempFolder folder_;
  TlsConfig config_;
  const Authority authority_{"authority"};
};

TEST_F(TlsFiles, AreReloadedWhenTheyChange) {
  Write(authority_.Issue("first", {}));
  const auto source = Source();
  const auto* const first = Current(*source);
  runtime_.AdvanceBy(std::chrono::minutes(1));
  EXPECT_EQ(Current(*source), first);
  Write(authority_.Issue("second", {}));
  runtime_.AdvanceBy(std::chrono::seconds(10));
  EXPECT_NE(Current(*source), first);
}

TEST_F(TlsFiles, AreCheckedAtMostEveryTenSeconds) {
  Write(authority_.Issue("first", {}));
  const auto source = Source();
  const auto* const first = Current(*source);
  Write(authority_.Issue("second", {}));
  runtime_.AdvanceBy(std::chrono::seconds(9));
  EXPECT_EQ(Current(*source), first);
}

TEST_F(TlsFiles, KeepTheirFormerContentWhileTheNewOneIsIncomplete) {
  Write(authority_.Issue("first", {}));
  const auto source = Source();
  const auto* const first = Current(*source);
  const Identity second = authority_.Issue("second", {});
  folder_.Write("cert", second.cert_pem);
  runtime_.AdvanceBy(std::chrono::seconds(10));
  EXPECT_EQ(Current(*source), first);
  folder_.Write("key", second.key_pem);
  runtime_.AdvanceBy(std::chrono::seconds(10));
  EXPECT_NE(Current(*source), first);
}

}  // namespace
}  // namespace capstan
