#include <capstan/client/transport.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/runtime.h>

#include "http_transport_requests.h"
#include "http_transport_server.h"
#include "support/temp_folder.h"

namespace capstan {
namespace {

using namespace http_test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(HttpTransport, SendsTheRequestAndReturnsTheResponse) {
  ScriptedServer server([](ServerConnection& connection) {
    const auto request = connection.ReadRequest();
    connection.Answer(*request, "418 Teapot", "Retry-After: 7\r\n");
  });
  const auto transport = TransportFor(ConfigFor(server));
  auto response = transport->RoundTrip(Post("{\"a\":1}"), {});
  ASSERT_TRUE(response) << response.status().ToString();
  EXPECT_EQ((*response)->status(), 418);
  EXPECT_EQ((*response)->Header("retry-after"), "7");
  EXPECT_EQ((*response)->Header("absent"), "");
  const auto body = ReadAll(**response, kLimit);
  ASSERT_TRUE(body);
  EXPECT_THAT(*body, StartsWith("POST /api HTTP/1.1\r\nHost: " + server.HostPort() + "\r\n"));
  EXPECT_THAT(
      *body,
      AllOf(HasSubstr("Content-Type: application/json\r\n"), HasSubstr("User-Agent: test/1\r\n"),
            HasSubstr("Content-Length: 7\r\n\r\n{\"a\":1}"), Not(HasSubstr("Authorization"))));
}

TEST(HttpTransport, PrependsThePathOfTheServerUrl) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  config.server += "/clusters/one/";
  const auto body = BodyOf(*TransportFor(config), Get("/api/v1?limit=5"));
  ASSERT_TRUE(body);
  EXPECT_THAT(*body, StartsWith("GET /clusters/one/api/v1?limit=5 HTTP/1.1\r\n"));
}

TEST(HttpTransport, SendsAUserAgent) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  config.username = "admin";
  config.password = "se:cret";
  config.impersonate_user = "jane";
  config.impersonate_uid = "42";
  config.impersonate_groups = {"dev", "ops"};
  config.impersonate_extra = {{"example.com/scope%", {"a", "b"}}};
  const auto body = BodyOf(*TransportFor(config), Get());
  ASSERT_TRUE(body);
  EXPECT_THAT(*body, HasSubstr("Authorization: Basic YWRtaW46c2U6Y3JldA==\r\n"));
  EXPECT_THAT(*body, HasSubstr("Impersonate-User: jane\r\nImpersonate-Uid: 42\r\n"
                               "Impersonate-Group: dev\r\nImpersonate-Group: ops\r\n"
                               "Impersonate-Extra-example.com%2Fscope%25: a\r\n"
                               "Impersonate-Extra-example.com%2Fscope%25: b\r\n"));
}

TEST(HttpTransport, HeadersOfTheCallerTakePrecedence) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  config.bearer_token = "ours";
  HttpRequest request = Get();
  request.headers = {{"authorization", "Bearer theirs"}, {"user-agent", "other/2"}};
  const auto body = BodyOf(*TransportFor(config), request);
  ASSERT_TRUE(body);
  EXPECT_THAT(*body, AllOf(HasSubstr("Bearer theirs"), HasSubstr("other/2"), Not(HasSubstr("ours")),
                           Not(HasSubstr("test/1"))));
}

TEST(HttpTransport, RefusesLineBreaksInRequests) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  HttpRequest request = Get("/a b");
  EXPECT_EQ(BodyOf(*transport, request).status().reason(), StatusReason::kInvalidArgument);
  request = Get();
  request.headers = {{"X-A", "1\r\nX-B: 2"}};
  EXPECT_EQ(BodyOf(*transport, request).status().reason(), StatusReason::kInvalidArgument);
  request.headers = {{"X A", "1"}};
  EXPECT_EQ(BodyOf(*transport, request).status().reason(), StatusReason::kInvalidArgument);
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpTransport, ReusesOneConnectionForSequentialRequests) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(BodyOf(*transport, Get()));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(BodyOf(*transport, Post("x")));
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpTransport, UsesSeparateConnectionsForConcurrentRequests) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  std::vector<std::unique_ptr<HttpResponse>> open;
  for (int i = 0; i < 40; ++i) {
    auto response = transport->RoundTrip(Get(), {});
    ASSERT_TRUE(response);
    open.push_back(*std::move(response));
  }
  EXPECT_EQ(server.connections(), 40);
  for (auto& response : open) ASSERT_TRUE(ReadAll(*response, kLimit));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  EXPECT_EQ(server.connections(), 40);
}

TEST(HttpTransport, ClosesTheConnectionOfAResponseThatIsNotReadCompletely) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(transport->RoundTrip(Get(), {}));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpTransport, AResponseWithoutABodyReleasesItsConnectionAtOnce) {
  ScriptedServer server([](ServerConnection& connection) {
    while (connection.ReadRequest()) connection.Send("HTTP/1.1 204 No Content\r\n\r\n");
  });
  const auto transport = TransportFor(ConfigFor(server));
  const auto first = transport->RoundTrip(Get(), {});
  const auto second = transport->RoundTrip(Get(), {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpTransport, DoesNotReuseAConnectionThatTheServerCloses) {
  ScriptedServer server([](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Answer("x", "200 OK", "Connection: close\r\n");
    connection.WaitForClose();
  });
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  EXPECT_EQ(server.connections(), 2);
}

// Answers the first request of its first connection, and breaks the connection at the second one.
ScriptedServer::Script BreaksOnSecondRequest(std::atomic<int>& requests) {
  return [&requests](ServerConnection& connection) {
    while (connection.ReadRequest()) {
      if (++requests == 2) return connection.Break();
      connection.Answer("x");
    }
  };
}

TEST(HttpTransport, RetriesAGetWhenAPooledConnectionWasClosed) {
  std::atomic<int> requests = 0;
  ScriptedServer server(BreaksOnSecondRequest(requests));
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  const auto body = BodyOf(*transport, Get());
  EXPECT_TRUE(body) << body.status().ToString();
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpTransport, DoesNotRetryAPostThatMayHaveTakenEffect) {
  std::atomic<int> requests = 0;
  ScriptedServer server(BreaksOnSecondRequest(requests));
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(BodyOf(*transport, Post("a")));
  const auto body = BodyOf(*transport, Post("b"));
  ASSERT_FALSE(body);
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_TRUE(body.status().IsAmbiguous());
  EXPECT_EQ(requests, 2);
}

TEST(HttpTransport, DoesNotRetryOnANewConnection) {
  std::atomic<int> connections = 0;
  ScriptedServer server([&](ServerConnection& connection) {
    ++connections;
    connection.ReadRequest();
  });
  const auto body = BodyOf(*TransportFor(ConfigFor(server)), Get());
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_THAT(body.status().message(), HasSubstr("closed by the server before it responded"));
  EXPECT_EQ(connections, 1);
}

TEST(HttpTransport, DropsAPooledConnectionThatIsClosed) {
  std::promise<void> closed;
  ScriptedServer server([&](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Answer("x");
    if (connection.number() > 0) return connection.WaitForClose();
    connection.Break();
    closed.set_value();
  });
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(BodyOf(*transport, Post("a")));
  closed.get_future().wait();
  EXPECT_TRUE(BodyOf(*transport, Post("b")));
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpTransport, ReportsTheUnreachableServerAndTheReason) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  const auto transport = TransportFor(config);
  server.StopListening();
  const auto body = BodyOf(*transport, Get());
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_EQ(body.status().message(),
            "GET " + server.Url() + ": connect to " + server.HostPort() + ": Connection refused");
}

TEST(HttpTransport, ResolvesHostNames) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  config.server = "http://localhost:" + std::to_string(server.port());
  const auto body = BodyOf(*TransportFor(config), Get());
  EXPECT_TRUE(body) << body.status().ToString();
}

TEST(HttpTransport, ReportsAnUnknownHostName) {
  RestConfig config;
  config.server = "http://no-such-host.invalid:80";
  const auto body = BodyOf(*TransportFor(config), Get());
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_THAT(body.status().message(), HasSubstr("cannot look up \"no-such-host.invalid\""));
}

TEST(HttpTransport, CanBeUsedByManyThreads) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  std::atomic<int> right = 0;
  std::array<std::unique_ptr<Thread>, 8> threads;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i] = SystemRuntime().Start("client", [&, i] {
      for (size_t k = 0; k < 50; ++k) {
        const std::string text = Format("body-{}-end", i * 1000 + k);
        const auto body = BodyOf(*transport, Post(text));
        if (body && body->find(text) != std::string::npos) ++right;
      }
    });
  }
  for (auto& thread : threads) thread->Join();
  EXPECT_EQ(right, 8 * 50);
  EXPECT_LE(server.connections(), 8);
}

TEST(HttpTransport, ReadsTheTokenFileAgainAfterA401) {
  TempFolder folder;
  RestConfig config;
  config.bearer_token_file = folder.Write("token", "old\n");
  ScriptedServer server([](ServerConnection& connection) {
    while (const auto request = connection.ReadRequest()) {
      const bool renewed = request->find("Authorization: Bearer new\r\n") != std::string::npos;
      connection.Answer("", renewed ? "200 OK" : "401 Unauthorized");
    }
  });
  config.server = server.Url();
  const auto transport = TransportFor(config);
  auto response = transport->RoundTrip(Post("x"), {});
  ASSERT_TRUE(response);
  EXPECT_EQ((*response)->status(), 401);
  folder.Write("token", "new\n");
  response = transport->RoundTrip(Post("x"), {});
  ASSERT_TRUE(response);
  EXPECT_EQ((*response)->status(), 200);
}

TEST(HttpTransport, RunsTheCredentialPluginAgainAfterA401) {
  TempFolder folder;
  RestConfig config;
  config.exec = ExecConfig{.api_version = "client.authentication.k8s.io/v1",
                           .command = folder.WriteScript("plugin", R"sh(
echo run >> "$LOG"
cat <<END
{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",
 "status":{"token":"token-$(wc -l < "$LOG" | tr -d ' ')"}}
END
)sh"),
                           .args = {},
                           .env = {{"LOG", folder.Path("log")}},
                           .install_hint = "",
                           .provide_cluster_info = false,
                           .interactive_mode = "Never",
                           .cluster_config_json = ""};
  ScriptedServer server([](ServerConnection& connection) {
    while (const auto request = connection.ReadRequest()) {
      const bool renewed = request->find("Authorization: Bearer token-2\r\n") != std::string::npos;
      connection.Answer("", renewed ? "200 OK" : "401 Unauthorized");
    }
  });
  config.server = server.Url();
  const auto transport = TransportFor(config);
  for (int i = 0; i < 3; ++i) {
    auto response = transport->RoundTrip(Get(), {});
    ASSERT_TRUE(response) << response.status().ToString();
    EXPECT_EQ((*response)->status(), 200);
  }
  EXPECT_EQ(folder.Read("log"), "run\nrun\n");
}

TEST(HttpTransport, AConfiguredProxyIsUsedForPlainHttp) {
  ScriptedServer proxy(Echo());
  RestConfig config;
  config.server = "http://cluster.test:8080";
  config.proxy_url = "http://us%40er:pass@" + proxy.HostPort();
  const auto body = BodyOf(*TransportFor(config), Get());
  ASSERT_TRUE(body) << body.status().ToString();
  EXPECT_THAT(
      *body,
      StartsWith("GET http://cluster.test:8080/api HTTP/1.1\r\nHost: cluster.test:8080\r\n"));
  EXPECT_THAT(*body, HasSubstr("Proxy-Authorization: Basic dXNAZXI6cGFzcw==\r\n"));
}

TEST(HttpTransport, RefusesAnInvalidConfiguration) {
  const auto refused = [](const auto& change) {
    RestConfig config;
    config.server = "https://127.0.0.1:6443";
    change(config);
    const auto transport = NewHttpTransport(config, SystemRuntime());
    EXPECT_EQ(transport.status().reason(), StatusReason::kInvalidArgument);
    return transport.status().message();
  };
  EXPECT_THAT(refused([](RestConfig& c) { c.server = "ftp://x"; }), HasSubstr("scheme"));
  EXPECT_THAT(refused([](RestConfig& c) { c.tls.ca_pem = "x"; }), HasSubstr("no PEM certificate"));
  EXPECT_THAT(refused([](RestConfig& c) { c.tls.ca_file = "/absent/ca"; }),
              HasSubstr("cannot read /absent/ca: No such file"));
  EXPECT_THAT(refused([](RestConfig& c) { c.bearer_token_file = "/absent/token"; }),
              HasSubstr("cannot read /absent/token"));
  EXPECT_THAT(refused([](RestConfig& c) { c.bearer_token = "a\nb"; }), HasSubstr("bearer token"));
  EXPECT_THAT(refused([](RestConfig& c) { c.proxy_url = "socks5://p:1"; }), HasSubstr("SOCKS"));
  EXPECT_THAT(refused([](RestConfig& c) { c.impersonate_groups = {"g"}; }),
              HasSubstr("need a user"));
  EXPECT_THAT(refused([](RestConfig& c) {
                c.username = "u";
                c.bearer_token = "t";
              }),
              HasSubstr("are mutually exclusive"));
}

}  // namespace
}  // namespace capstan
