#include "process/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/tls/openssl_ptr.h"
#include "manager/raw_client.h"
#include "support/temp_folder.h"
#include "support/tls_authority.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() {
    options_.bind_address = "127.0.0.1";
    options_.secure_port = -1;
    mux_.Handle("/hello", [](const http::ServerRequest& request) {
      return http::ServerResponse{.body = request.Has("loud") ? "HELLO" : "hello"};
    });
    mux_.Handle("/headers", [](const http::ServerRequest& request) {
      http::ServerResponse response{.body = request.Header("X-Asked")};
      response.headers = {{"X-Said", "yes"}, {"Cache-Control", "max-age=1"}, {"X-Bad", "a\r\nb"}};
      return response;
    });
    mux_.Handle("PUT", "/echo", [](const http::ServerRequest& request) {
      return http::ServerResponse{.body = request.body};
    });
    mux_.Handle("/big", [](const http::ServerRequest&) {
      return http::ServerResponse{.body = std::string(kBig, 'b')};
    });
    mux_.Handle("/client", [this](const http::ServerRequest& request) {
      seen_ = request;
      return http::ServerResponse{.body = request.remote_address};
    });
    limits_.io_timeout = std::chrono::minutes(1);
  }

  http::Mux::Handler Handler() {
    return [this](const http::ServerRequest& request) { return mux_.Serve(request); };
  }
  std::unique_ptr<HttpServer> StartBare() {
    auto server = HttpServer::Start("metrics", "127.0.0.1", -1, Handler(), limits_);
    EXPECT_TRUE(server.ok()) << server.status().message();
    return *std::move(server);
  }
  std::unique_ptr<HttpsServer> StartTls() {
    auto server = HttpsServer::Start(options_, Handler(), limits_);
    EXPECT_TRUE(server.ok()) << server.status().message();
    return *std::move(server);
  }
  std::string Refusal() {
    return HttpsServer::Start(options_, Handler(), limits_).status().message();
  }
  // The server's response to `text`.
  static std::string Say(const HttpServer& server, const std::string& text) {
    RawClient client(server.port());
    client.Send(text);
    return client.Receive();
  }
  void UsePair(const std::string& name) {
    const Identity pair = authority_.Issue(name, {"DNS:" + name});
    options_.tls_cert_file = folder_.Write("tls.crt", pair.cert_pem);
    options_.tls_private_key_file = folder_.Write("tls.key", pair.key_pem);
  }

  static constexpr size_t kBig = 8 << 20;
  ServingOptions options_;
  http::ServingLimits limits_;
  http::Mux mux_;
  http::ServerRequest seen_;
  TempFolder folder_;
  Authority authority_{"authority"};
};

TEST_F(HttpServerTest, ServesOverTlsWithASelfSignedCertificate) {
  const auto server = StartTls();
  RawClient client(server->port(), RawClient::Tls{.protocols = "\x02h2\x08http/1.1"});
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.Protocol(), "http/1.1");
  EXPECT_EQ(client.Get("/hello"), "200 hello");
  EXPECT_EQ(client.Get("/hello?loud"), "200 HELLO");
  EXPECT_EQ(client.Get("/nothing"), "404 404 page not found\n");
  EXPECT_THAT(client.Get("/big"), SizeIs(4 + kBig));
}

TEST_F(HttpServerTest, ServesPlainHttp) {
  const auto server = StartBare();
  RawClient client(server->port());
  EXPECT_EQ(client.Get("/hello"), "200 hello");
  EXPECT_EQ(client.Get("/hello?loud"), "200 HELLO");
  EXPECT_THAT(client.Get("/big"), SizeIs(4 + kBig));
}

TEST_F(HttpServerTest, TheResponseToHeadHasNoBody) {
  const auto server = StartBare();
  RawClient client(server->port());
  client.Send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.Receive(false), "200 ");
  EXPECT_THAT(client.head(), HasSubstr("\r\nContent-Length: 5\r\n"));
  EXPECT_EQ(client.Get("/hello"), "200 hello");
}

TEST_F(HttpServerTest, HeadersArePassedOnAndCannotSplitTheResponse) {
  const auto server = StartBare();
  RawClient client(server->port());
  client.Send("GET /headers HTTP/1.1\r\nHost: a\r\nx-asked: please\r\n\r\n");
  EXPECT_EQ(client.Receive(), "200 please");
  EXPECT_THAT(client.head(), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nDate: "),
                                   HasSubstr("\r\nX-Said: yes\r\n"),
                                   HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"),
                                   HasSubstr("\r\nCache-Control: max-age=1\r\n"),
                                   Not(HasSubstr("no-cache")), Not(HasSubstr("X-Bad"))));
}

TEST_F(HttpServerTest, BodiesAreDeliveredCompletely) {
  const auto server = StartBare();
  RawClient client(server->port());
  client.Send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nfo");
  client.Send("ur");
  EXPECT_EQ(client.Receive(), "200 four");
  client.Send("PUT /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfi\r\n");
  client.Send("2\r\nve\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive(), "200 five");
  client.Send("PUT /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.Receive(), "100 ");
  client.Send("six");
  EXPECT_EQ(client.Receive(), "200 six");
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  for (const bool tls : {false, true}) {
    const auto bare = StartBare();
    const auto secure = StartTls();
    RawClient client = tls ? RawClient(secure->port(), RawClient::Tls{}) : RawClient(bare->port());
    client.Send(
        "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
        "PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nyou"
        "GET /hello?loud HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.Receive(), "200 hello");
    EXPECT_EQ(client.Receive(), "200 you");
    EXPECT_EQ(client.Receive(), "200 HELLO");
    EXPECT_TRUE(client.IsClosed());
  }
}

TEST_F(HttpServerTest, RefusesTooLargeRequestsAndClosesTheConnection) {
  const auto server = StartBare();
  RawClient client(server->port());
  client.Send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  client.Send(std::string(1'000'000, 'x'));  // the response is not lost because of it
  EXPECT_EQ(client.Receive(), "413 the body is too large\n");
  EXPECT_TRUE(client.IsClosed());
  EXPECT_THAT(Say(*server, "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(100'000, 'x')),
              StartsWith("431 "));
  EXPECT_THAT(Say(*server, "GET /" + std::string(100'000, 'x')), StartsWith("414 "));
  EXPECT_THAT(Say(*server, "PUT /echo HTTP/1.1\r\nHost: a\r\n\r\n"), StartsWith("411 "));
  EXPECT_THAT(Say(*server, "nonsense\r\n\r\n"), StartsWith("400 "));
}

TEST_F(HttpServerTest, AHandlerThatThrowsIsAnInternalError) {
  auto server = HttpServer::Start("metrics", "127.0.0.1", -1,
                                  [](const http::ServerRequest&) -> http::ServerResponse {
                                    throw std::runtime_error("secret");
                                  });
  ASSERT_TRUE(server.ok()) << server.status().message();
  EXPECT_EQ(Say(**server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "500 internal server error\n");
}

TEST_F(HttpServerTest, AClientThatDisconnectsDoesNotAffectOthers) {
  std::latch asked(1);
  std::latch go_on(1);
  mux_.Handle("/wait", [&](const http::ServerRequest&) {
    asked.count_down();
    go_on.wait();
    return http::ServerResponse{};
  });
  const auto server = StartBare();
  {
    RawClient client(server->port());
    client.Send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n");
    asked.wait();
  }
  go_on.count_down();
  EXPECT_EQ(RawClient(server->port()).Get("/hello"), "200 hello");
}

TEST_F(HttpServerTest, APortInUseIsAnErrorThatNamesThePort) {
  const auto first = StartTls();
  options_.secure_port = first->port();
  EXPECT_THAT(Refusal(),
              AllOf(StartsWith("cannot serve on 127.0.0.1:" + std::to_string(first->port())),
                    HasSubstr("in use")));
  EXPECT_THAT(
      HttpServer::Start("metrics", "127.0.0.1", first->port(), Handler()).status().message(),
      StartsWith("cannot serve on 127.0.0.1:"));
}

TEST_F(HttpServerTest, AnInvalidFlagIsAnErrorThatNamesIt) {
  options_.tls_min_version = "VersionTLS11";
  EXPECT_EQ(Refusal(), "--tls-min-version VersionTLS11: TLS before 1.2 is not supported");
  options_.tls_min_version = "1.2";
  EXPECT_THAT(Refusal(), StartsWith("--tls-min-version 1.2: unknown"));
  options_.tls_min_version = "";
  options_.tls_cipher_suites = {"TLS_AES_128_GCM_SHA256", "TLS_RSA_WITH_RC4_128_SHA"};
  EXPECT_EQ(Refusal(), "--tls-cipher-suites TLS_RSA_WITH_RC4_128_SHA: this suite is insecure");
  options_.tls_cipher_suites = {"ECDHE-RSA-AES128-GCM-SHA256"};
  EXPECT_EQ(Refusal(), "--tls-cipher-suites ECDHE-RSA-AES128-GCM-SHA256: no such suite");
  options_.tls_cipher_suites = {};
  options_.tls_cert_file = "/does/not/exist.crt";
  options_.tls_private_key_file = "/does/not/exist.key";
  EXPECT_EQ(Refusal(), "--tls-cert-file: /does/not/exist.crt: no such file");
}

TEST_F(HttpServerTest, TlsBefore12IsRefused) {
  const auto server = StartTls();
  EXPECT_FALSE(
      RawClient(server->port(), RawClient::Tls{.max_version = TLS1_1_VERSION}).connected());
  EXPECT_TRUE(RawClient(server->port(), RawClient::Tls{.max_version = TLS1_2_VERSION}).connected());
}

TEST_F(HttpServerTest, TheMinimumTlsVersionCanBe13) {
  options_.tls_min_version = "VersionTLS13";
  const auto server = StartTls();
  EXPECT_FALSE(
      RawClient(server->port(), RawClient::Tls{.max_version = TLS1_2_VERSION}).connected());
  EXPECT_TRUE(RawClient(server->port(), RawClient::Tls{}).connected());
}

TEST_F(HttpServerTest, OnlyTheConfiguredCipherSuitesAreAccepted) {
  options_.tls_cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                                "TLS_AES_128_GCM_SHA256"};
  const auto server = StartTls();
  const auto cipher = [&](const std::string& offered) {
    const RawClient client(server->port(),
                           RawClient::Tls{.max_version = TLS1_2_VERSION, .ciphers = offered});
    return client.connected() ? client.Cipher() : "refused";
  };
  EXPECT_EQ(cipher("ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384"),
            "ECDHE-ECDSA-AES256-GCM-SHA384");
  EXPECT_EQ(cipher("ECDHE-ECDSA-AES128-GCM-SHA256"), "refused");
}

TEST_F(HttpServerTest, WeakCipherSuitesAreRefusedByDefault) {
  const auto server = StartTls();
  EXPECT_FALSE(RawClient(server->port(), RawClient::Tls{.max_version = TLS1_2_VERSION,
                                                        .ciphers = "ECDHE-ECDSA-AES128-SHA"})
                   .connected());
}

TEST_F(HttpServerTest, WithOnlyTls13SuitesOlderVersionsAreRefused) {
  options_.tls_cipher_suites = {"TLS_AES_128_GCM_SHA256"};
  const auto server = StartTls();
  EXPECT_FALSE(
      RawClient(server->port(), RawClient::Tls{.max_version = TLS1_2_VERSION}).connected());
  EXPECT_TRUE(RawClient(server->port(), RawClient::Tls{}).connected());
}

std::string DerOfPem(const std::string& pem) {
  const tls::BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const tls::X509Ptr certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  unsigned char* data = nullptr;
  const int size = i2d_X509(certificate.get(), &data);
  std::string der(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
  OPENSSL_free(data);
  return der;
}

TEST_F(HttpServerTest, TheHandlerGetsTheClientAddressAndCertificate) {
  const auto server = StartTls();
  const Identity jane = authority_.Issue("jane", {});
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    RawClient client(server->port(), RawClient::Tls{.max_version = version,
                                                    .certificate = jane.cert_pem + authority_.pem(),
                                                    .key = jane.key_pem});
    EXPECT_THAT(client.Get("/client"), StartsWith("200 127.0.0.1:"));
    EXPECT_THAT(seen_.client_certificates,
                ElementsAre(DerOfPem(jane.cert_pem), DerOfPem(authority_.pem())));
    // The identity holds for the whole connection.
    client.Get("/client");
    EXPECT_THAT(seen_.client_certificates, SizeIs(2));
  }
  RawClient(server->port(), RawClient::Tls{}).Get("/client");
  EXPECT_THAT(seen_.client_certificates, IsEmpty());
}

TEST_F(HttpServerTest, AClientMustProveThePossessionOfItsKey) {
  const auto server = StartTls();
  const Identity jane = authority_.Issue("jane", {});
  RawClient client(server->port(), RawClient::Tls{.certificate = jane.cert_pem,
                                                  .key = authority_.Issue("mallory", {}).key_pem});
  // OpenSSL does not send such a certificate.
  client.Get("/client");
  EXPECT_THAT(seen_.client_certificates, IsEmpty());
}

TEST_F(HttpServerTest, NewConnectionsUseAReloadedCertificate) {
  UsePair("old.test");
  const auto server = StartTls();
  UsePair("new.test");
  RawClient client(server->port(), RawClient::Tls{});
  EXPECT_EQ(client.PeerName(), "new.test");
  EXPECT_EQ(client.Get("/hello"), "200 hello");
}

TEST_F(HttpServerTest, TheCertificateIsChosenByServerName) {
  UsePair("default.test");
  const Identity named = authority_.Issue("named.test", {"DNS:named.test"});
  options_.tls_sni_cert_keys = {folder_.Write("named.crt", named.cert_pem) + "," +
                                folder_.Write("named.key", named.key_pem) + ":named.test,*.a.test"};
  const auto server = StartTls();
  const auto shown = [&](const std::string& name) {
    return RawClient(server->port(), RawClient::Tls{.server_name = name}).PeerName();
  };
  EXPECT_EQ(shown(""), "default.test");
  EXPECT_EQ(shown("other.test"), "default.test");
  EXPECT_EQ(shown("named.test"), "named.test");
  EXPECT_EQ(shown("b.a.test"), "named.test");
}

TEST_F(HttpServerTest, AnIdleListenerHasTwoThreads) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  const auto server = StartTls();
  EXPECT_LE(threads(), before + 2);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(RawClient(server->port(), RawClient::Tls{}).Get("/hello"), "200 hello");
  }
  EXPECT_LE(threads(), before + 2);
}

class SlowClientsTest : public HttpServerTest {
 protected:
  static constexpr size_t kSlow = 200;
  SlowClientsTest() {
    mux_.Handle("/large", [](const http::ServerRequest&) {
      return http::ServerResponse{.body = std::string(1 << 20, 'b')};
    });
  }
  // Connections that each waste a slot in a different way.
  static std::vector<RawClient> Waste(int tls_port) {
    std::vector<RawClient> clients;
    for (size_t i = 0; i < kSlow; ++i) {
      if (i % 4 == 0) {
        clients.emplace_back(tls_port);
        clients.back().Send("\x16\x03\x01");  // an incomplete handshake
        continue;
      }
      RawClient client(tls_port, RawClient::Tls{});
      if (i % 4 == 1) client.Send("GET /hello HTTP/1.1\r\nHost: a\r\nX-");
      if (i % 4 == 2) client.Send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nb");
      if (i % 4 == 3) client.Send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
      clients.push_back(std::move(client));
    }
    return clients;
  }
};

TEST_F(SlowClientsTest, DoNotDelayAProbe) {
  limits_.connections = 1000;  // so that no connection is closed for another one
  const auto server = StartTls();
  std::vector<RawClient> slow = Waste(server->port());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(RawClient(server->port(), RawClient::Tls{}).Get("/hello"), "200 hello");
    for (size_t s = 2; s < kSlow; s += 40) EXPECT_TRUE(slow[s].Send("b"));  // slow input
  }
}

TEST_F(SlowClientsTest, AreClosedForAProbeWhenAllConnectionsAreInUse) {
  const auto server = StartTls();
  ASSERT_LT(limits_.connections, kSlow);
  std::vector<RawClient> slow = Waste(server->port());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(RawClient(server->port(), RawClient::Tls{}).Get("/hello"), "200 hello");
  }
  EXPECT_TRUE(slow[0].IsClosed());
}

TEST_F(SlowClientsTest, AreClosedWhenTheySendNoRequestInTime) {
  limits_.io_timeout = std::chrono::milliseconds(50);
  const auto tls = StartTls();
  RawClient handshake(tls->port());
  handshake.Send("\x16\x03\x01");
  EXPECT_TRUE(handshake.IsClosed());
  const auto bare = StartBare();
  RawClient head(bare->port());
  head.Send("GET /hello HTTP/1.1\r\nHost: a\r\nX-");
  EXPECT_TRUE(head.IsClosed());
}

TEST_F(SlowClientsTest, AreClosedWhenTheySendBytesTooSlowly) {
  limits_.io_timeout = std::chrono::milliseconds(100);
  const auto server = StartBare();
  RawClient client(server->port());
  client.Send("PUT /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
  int bytes = 0;
  while (!client.HasInput(5) && client.Send("b") && bytes < 60000) ++bytes;
  EXPECT_TRUE(client.IsClosed());
  EXPECT_LT(bytes, 60000);
}

TEST_F(SlowClientsTest, AreClosedWhenTheyDoNotRead) {
  limits_.io_timeout = std::chrono::milliseconds(100);
  limits_.bytes_a_second = 1 << 30;
  const auto server = StartBare();
  RawClient client(server->port(), 4096);
  client.Send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.AwaitReset());
  EXPECT_EQ(client.Receive(), "");
}

TEST_F(SlowClientsTest, AreClosedWhenTheyAreIdleForTooLong) {
  limits_.idle = std::chrono::milliseconds(20);
  const auto server = StartTls();
  RawClient client(server->port(), RawClient::Tls{});
  EXPECT_EQ(client.Get("/hello"), "200 hello");
  EXPECT_TRUE(client.IsClosed());
}

}  // namespace
}  // namespace capstan::manager
