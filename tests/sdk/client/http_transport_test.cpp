#include <capstan/client/transport.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>

#include "http_transport_server.h"
#include "temp_folder.h"

namespace capstan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr size_t kLimit = 1 << 20;

RestConfig ConfigFor(const ScriptedServer& server) {
  RestConfig config;
  config.server = server.Url();
  config.user_agent = "test/1";
  return config;
}

std::unique_ptr<Transport> TransportFor(const RestConfig& config) {
  auto transport = NewHttpTransport(config, SystemRuntime());
  EXPECT_TRUE(transport) << transport.status().ToString();
  return transport ? *std::move(transport) : nullptr;
}

HttpRequest Get(const std::string& target = "/api") {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  return request;
}

HttpRequest Post(const std::string& body) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/api";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = body;
  return request;
}

// The whole body of the answer, or the error.
Result<std::string> BodyOf(Transport& transport, const HttpRequest& request) {
  auto response = transport.RoundTrip(request, {});
  if (!response) return response.status();
  return ReadAll(**response, kLimit);
}

// Serves one connection with `answer` to whatever is asked, and closes it.
ScriptedServer::Script AnswerOnce(const std::string& answer) {
  return [answer](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Send(answer);
  };
}

Status FailureOf(const std::string& answer) {
  ScriptedServer server(AnswerOnce(answer));
  const auto transport = TransportFor(ConfigFor(server));
  const auto body = BodyOf(*transport, Get());
  EXPECT_FALSE(body) << *body;
  return body.status();
}

TEST(HttpTransport, SendsWhatTheCallerSaysAndGivesTheAnswer) {
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

TEST(HttpTransport, PutsThePathOfTheServerUrlInFront) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  config.server += "/clusters/one/";
  const auto body = BodyOf(*TransportFor(config), Get("/api/v1?limit=5"));
  ASSERT_TRUE(body);
  EXPECT_THAT(*body, StartsWith("GET /clusters/one/api/v1?limit=5 HTTP/1.1\r\n"));
}

TEST(HttpTransport, SaysWhoItIs) {
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

TEST(HttpTransport, TheCallersOwnHeadersWin) {
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

TEST(HttpTransport, RefusesARequestThatWouldBreakItsLinesApart) {
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

TEST(HttpTransport, UsesOneConnectionForOneRequestAfterTheOther) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(BodyOf(*transport, Get()));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(BodyOf(*transport, Post("x")));
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpTransport, TakesAConnectionOfItsOwnForEachRequestAtATime) {
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

TEST(HttpTransport, GivesUpTheConnectionOfAnAnswerThatIsNotReadToItsEnd) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(transport->RoundTrip(Get(), {}));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpTransport, AnAnswerWithoutABodyFreesItsConnectionAtOnce) {
  ScriptedServer server([](ServerConnection& connection) {
    while (connection.ReadRequest()) connection.Send("HTTP/1.1 204 No Content\r\n\r\n");
  });
  const auto transport = TransportFor(ConfigFor(server));
  const auto first = transport->RoundTrip(Get(), {});
  const auto second = transport->RoundTrip(Get(), {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpTransport, DoesNotUseAConnectionAgainThatTheServerWantsToClose) {
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

// Answers the first request of its first connection, and breaks it when the second has come.
ScriptedServer::Script BreaksOnSecondRequest(std::atomic<int>& requests) {
  return [&requests](ServerConnection& connection) {
    while (connection.ReadRequest()) {
      if (++requests == 2) return connection.Break();
      connection.Answer("x");
    }
  };
}

TEST(HttpTransport, RepeatsAGetWhenAKeptConnectionTurnsOutToBeClosed) {
  std::atomic<int> requests = 0;
  ScriptedServer server(BreaksOnSecondRequest(requests));
  const auto transport = TransportFor(ConfigFor(server));
  ASSERT_TRUE(BodyOf(*transport, Get()));
  const auto body = BodyOf(*transport, Get());
  EXPECT_TRUE(body) << body.status().ToString();
  EXPECT_EQ(requests, 3);
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpTransport, DoesNotRepeatAPostThatMayHaveBeenDone) {
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

TEST(HttpTransport, DoesNotRepeatOnAFreshConnection) {
  std::atomic<int> connections = 0;
  ScriptedServer server([&](ServerConnection& connection) {
    ++connections;
    connection.ReadRequest();
  });
  const auto body = BodyOf(*TransportFor(ConfigFor(server)), Get());
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_THAT(body.status().message(), HasSubstr("closed by the server before it answered"));
  EXPECT_EQ(connections, 1);
}

TEST(HttpTransport, LeavesAsideAKeptConnectionThatIsClosedAlready) {
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

TEST(HttpTransport, DeliversAChunkBeforeTheNextOneIsSent) {
  std::promise<void> first_was_read;
  ScriptedServer server([&](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    first_was_read.get_future().wait();
    connection.Send("6;x=y\r\nsecond\r\n0\r\nTrailer: t\r\n\r\n");
    connection.WaitForClose();
  });
  const auto transport = TransportFor(ConfigFor(server));
  HttpRequest watch = Get();
  watch.timeout = std::nullopt;
  auto response = transport->RoundTrip(watch, {});
  ASSERT_TRUE(response);
  char buffer[4096];
  auto count = (*response)->Read(buffer, sizeof(buffer));
  ASSERT_TRUE(count);
  EXPECT_EQ(std::string(buffer, *count), "first");
  first_was_read.set_value();
  const auto rest = ReadAll(**response, kLimit);
  ASSERT_TRUE(rest) << rest.status().ToString();
  EXPECT_EQ(*rest, "second");
  count = (*response)->Read(buffer, sizeof(buffer));
  ASSERT_TRUE(count);
  EXPECT_EQ(*count, 0U);
}

TEST(HttpTransport, ReadsLargeBodiesOfEveryFraming) {
  const std::string large(3'000'000, 'z');
  ScriptedServer server([&](ServerConnection& connection) {
    connection.ReadRequest();
    if (connection.number() == 0) {
      connection.Answer(large);
    } else if (connection.number() == 1) {
      connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2dc6c0\r\n" + large +
                      "\r\n0\r\n\r\n");
    } else {
      connection.Send("HTTP/1.1 200 OK\r\n\r\n" + large);
      return;
    }
    connection.Break();
  });
  for (int i = 0; i < 3; ++i) {
    auto response = TransportFor(ConfigFor(server))->RoundTrip(Get(), {});
    ASSERT_TRUE(response);
    const auto body = ReadAll(**response, 4'000'000);
    ASSERT_TRUE(body) << i << body.status().ToString();
    EXPECT_EQ(body->size(), large.size());
  }
}

TEST(HttpTransport, ReadAllRefusesABodyOverItsLimit) {
  ScriptedServer server(AnswerOnce("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901"));
  auto response = TransportFor(ConfigFor(server))->RoundTrip(Get(), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(ReadAll(**response, 10).status().reason(), StatusReason::kMalformed);
}

TEST(HttpTransport, SkipsInterimAnswers) {
  ScriptedServer server(
      AnswerOnce("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  const auto body = BodyOf(*TransportFor(ConfigFor(server)), Get());
  ASSERT_TRUE(body) << body.status().ToString();
  EXPECT_EQ(*body, "ok");
}

TEST(HttpTransport, ATornBodyIsAnError) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& answer :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), chunked,
        chunked + "5\r\nfir", chunked + "5\r\nfirst\r\n", chunked + "5\r\nfirst\r\n0\r\n",
        chunked + "5\r\nfirst\r\n0\r\nTrailer: x"}) {
    const Status status = FailureOf(answer);
    EXPECT_EQ(status.reason(), StatusReason::kTransport) << answer;
    EXPECT_THAT(status.message(), HasSubstr("in the middle of the answer")) << answer;
  }
}

TEST(HttpTransport, AMalformedAnswerIsAnError) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& answer :
       {std::string("\x15\x03\x01\r\n\r\n nonsense\r\n"), std::string("HTTP/1.1 abc OK\r\n\r\n"),
        std::string("HTTP/2.0 200 OK\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
        std::string("HTTP/1.1 101 Switching Protocols\r\n\r\n"), chunked + "zz\r\n",
        chunked + "-5\r\nfirst\r\n", chunked + "fffffffffffffffff\r\nx",
        chunked + "5\r\nfirst and more\r\n", chunked + "\xff\r\n"}) {
    const Status status = FailureOf(answer);
    EXPECT_EQ(status.reason(), StatusReason::kTransport) << answer;
    EXPECT_THAT(status.message(), HasSubstr("malformed HTTP answer")) << answer;
  }
}

TEST(HttpTransport, AnAnswerTornInItsHeadIsAnError) {
  const Status status = FailureOf("HTTP/1.1 200 OK\r\nContent-Le");
  EXPECT_EQ(status.reason(), StatusReason::kTransport);
  EXPECT_THAT(status.message(), HasSubstr("in the middle of the answer"));
}

TEST(HttpTransport, AHeadWithoutAnEndIsAnError) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 100; ++i) head += "X-Header: " + std::string(1000, 'x') + "\r\n";
  const Status status = FailureOf(head);
  EXPECT_EQ(status.reason(), StatusReason::kTransport);
  EXPECT_THAT(status.message(), HasSubstr("its head is larger than 65536 bytes"));
}

TEST(HttpTransport, NamesWhomItCannotReachAndWhy) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  const auto transport = TransportFor(config);
  server.StopListening();
  const auto body = BodyOf(*transport, Get());
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_EQ(body.status().message(),
            "GET " + server.Url() + ": connect to " + server.HostPort() + ": Connection refused");
}

TEST(HttpTransport, FindsAServerByItsName) {
  ScriptedServer server(Echo());
  RestConfig config = ConfigFor(server);
  config.server = "http://localhost:" + std::to_string(server.port());
  const auto body = BodyOf(*TransportFor(config), Get());
  EXPECT_TRUE(body) << body.status().ToString();
}

TEST(HttpTransport, SaysThatANameIsUnknown) {
  RestConfig config;
  config.server = "http://no-such-host.invalid:80";
  const auto body = BodyOf(*TransportFor(config), Get());
  EXPECT_EQ(body.status().reason(), StatusReason::kTransport);
  EXPECT_THAT(body.status().message(), HasSubstr("cannot look up \"no-such-host.invalid\""));
}

TEST(HttpTransport, ManyThreadsShareIt) {
  ScriptedServer server(Echo());
  const auto transport = TransportFor(ConfigFor(server));
  std::atomic<int> right = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(SystemRuntime().Start("client", [&, i] {
      for (int k = 0; k < 50; ++k) {
        const std::string text = "body-" + std::to_string(i * 1000 + k) + "-end";
        const auto body = BodyOf(*transport, Post(text));
        if (body && body->find(text) != std::string::npos) ++right;
      }
    }));
  }
  threads.clear();
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

TEST(HttpTransport, AsksTheCredentialPluginAgainAfterA401) {
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

TEST(HttpTransport, AProxyOfTheConfigurationIsUsedForPlainRequestsToo) {
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

TEST(HttpTransport, RefusesAConfigurationThatCannotBeRight) {
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
              HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace capstan
