#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>

#include "client/http/http_transport_proxy.h"
#include "http_transport_server.h"
#include "support/temp_folder.h"

namespace capstan {
namespace {

using client::IsExemptFromProxy;
using client::ProxyFromEnvironment;
using client::ServerUrl;
using ::testing::HasSubstr;

ServerUrl Server(const std::string& url) {
  auto parsed = client::ParseServerUrl(url, true);
  EXPECT_TRUE(parsed);
  return *parsed;
}

class Proxy : public ::testing::Test {
 private:
  ScopedVariable https_{"HTTPS_PROXY", std::nullopt};
  ScopedVariable https_lower_{"https_proxy", std::nullopt};
  ScopedVariable http_{"HTTP_PROXY", std::nullopt};
  ScopedVariable http_lower_{"http_proxy", std::nullopt};
  ScopedVariable no_{"NO_PROXY", std::nullopt};
  ScopedVariable no_lower_{"no_proxy", std::nullopt};
};

TEST_F(Proxy, FromTheEnvironmentIsChosenByTheServersScheme) {
  ScopedVariable https("HTTPS_PROXY", "http://secure:1");
  ScopedVariable http("http_proxy", "plain:2");
  auto proxy = ProxyFromEnvironment(Server("https://api.test"));
  ASSERT_TRUE(proxy && *proxy);
  EXPECT_EQ((*proxy)->HostPort(), "secure:1");
  proxy = ProxyFromEnvironment(Server("http://api.test"));
  ASSERT_TRUE(proxy && *proxy);
  EXPECT_EQ((*proxy)->HostPort(), "plain:2");
}

TEST_F(Proxy, FromTheEnvironmentIsNotUsedForLoopback) {
  ScopedVariable https("HTTPS_PROXY", "http://secure:1");
  for (const char* url : {"https://localhost:6443", "https://127.0.0.5", "https://[::1]:6443"}) {
    const auto proxy = ProxyFromEnvironment(Server(url));
    ASSERT_TRUE(proxy);
    EXPECT_FALSE(*proxy) << url;
  }
}

TEST_F(Proxy, AnInvalidEnvironmentVariableIsAnErrorThatNamesIt) {
  ScopedVariable https("https_proxy", "socks5://secret@host:1");
  const auto proxy = ProxyFromEnvironment(Server("https://api.test"));
  EXPECT_EQ(proxy.status().reason(), StatusReason::kInvalidArgument);
  EXPECT_THAT(proxy.status().message(), HasSubstr("environment variable https_proxy"));
  EXPECT_THAT(proxy.status().message(), ::testing::Not(HasSubstr("secret")));
}

TEST_F(Proxy, IsNotUsedForHostsInNoProxy) {
  const struct {
    const char* no_proxy;
    const char* url;
    bool exempt;
  } kCases[] = {
      {"*", "https://any.test", true},
      {"", "https://any.test", false},
      {"example.com", "https://example.com", true},
      {"example.com", "https://a.example.com", true},
      {"example.com", "https://badexample.com", false},
      {".example.com", "https://a.example.com", true},
      {".example.com", "https://example.com", false},
      {"*.example.com", "https://a.example.com", true},
      {"EXAMPLE.com", "https://example.COM.", true},
      {"one, two ,three.test", "https://two", true},
      {"example.com:443", "https://example.com", true},
      {"example.com:8443", "https://example.com", false},
      {"10.0.0.0/8", "https://10.1.2.3:6443", true},
      {"10.0.0.0/8", "https://11.1.2.3:6443", false},
      {"10.1.2.0/23", "https://10.1.3.9", true},
      {"10.1.2.3", "https://10.1.2.3", true},
      {"10.1.2.3", "https://10.1.2.33", false},
      {"10.1.2.3:6443", "https://10.1.2.3:6443", true},
      {"fd00::/8", "https://[fd00::1]", true},
      {"fd00::1", "https://[fd00::1]", true},
      {"[fd00::1]:443", "https://[fd00::1]", true},
      {"[fd00::1]:444", "https://[fd00::1]", false},
      {"0.0.0.0/0", "https://[fd00::1]", false},
      {"3", "https://10.1.2.3", false},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(IsExemptFromProxy(Server(test.url), test.no_proxy), test.exempt)
        << test.no_proxy << " " << test.url;
  }
}

// Accepts every CONNECT and serves it itself: the same connection then uses TLS.
TEST_F(Proxy, TunnelsTlsWithConnect) {
  std::promise<std::string> asked;
  const Authority authority("authority");
  ScriptedServer proxy(
      [&](ServerConnection& connection) {
        asked.set_value(connection.ReadPlainRequest());
        connection.SendPlain("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");
        if (!connection.Handshake()) return;
        while (connection.ReadRequest()) connection.Answer(connection.server_name());
      },
      ServerTls{authority.Issue("server", {"DNS:api.cluster.test"}), "", false});
  RestConfig config;
  config.server = "https://api.cluster.test:6443";
  config.tls.ca_pem = authority.pem();
  config.proxy_url = "http://user:secret@" + proxy.HostPort();
  config.user_agent = "test/1";
  const auto transport = NewHttpTransport(config, SystemRuntime());
  ASSERT_TRUE(transport) << transport.status().ToString();
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  for (int i = 0; i < 2; ++i) {
    auto response = (*transport)->RoundTrip(request, {});
    ASSERT_TRUE(response) << response.status().ToString();
    EXPECT_EQ(*ReadAll(**response, 1000), "api.cluster.test");
  }
  EXPECT_EQ(asked.get_future().get(),
            "CONNECT api.cluster.test:6443 HTTP/1.1\r\nHost: api.cluster.test:6443\r\n"
            "User-Agent: test/1\r\nProxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n\r\n");
  EXPECT_EQ(proxy.connections(), 1);
}

TEST_F(Proxy, IsNamedInTheErrorWhenItRefuses) {
  ScriptedServer proxy([](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Answer("no", "407 Proxy Authentication Required");
  });
  RestConfig config;
  config.server = "https://api.cluster.test:6443";
  ScopedVariable variable("HTTPS_PROXY", "http://" + proxy.HostPort());
  const auto transport = NewHttpTransport(config, SystemRuntime());
  ASSERT_TRUE(transport);
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  const auto response = (*transport)->RoundTrip(request, {});
  EXPECT_EQ(response.status().reason(), StatusReason::kTransport);
  EXPECT_EQ(response.status().message(),
            "GET https://api.cluster.test:6443: proxy " + proxy.HostPort() +
                ": the proxy refused to connect to api.cluster.test:6443: 407 Proxy "
                "Authentication Required");
}

}  // namespace
}  // namespace capstan
