#include "http_server.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/HTTPSClientSession.h>
#include <Poco/StreamCopier.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpsServerTest : public ::testing::Test {
 protected:
  HttpsServerTest() {
    options_.bind_address = "127.0.0.1";
    options_.secure_port = -1;
    mux_.Handle("/hello", [](const ServerRequest& request) {
      return ServerResponse{.body = request.Has("loud") ? "HELLO" : "hello"};
    });
  }

  std::unique_ptr<Poco::Net::HTTPSClientSession> Connect(const HttpsServer& server) {
    const Poco::Net::Context::Ptr context(new Poco::Net::Context(
        Poco::Net::Context::TLS_CLIENT_USE, "", Poco::Net::Context::VERIFY_NONE));
    auto session = std::make_unique<Poco::Net::HTTPSClientSession>(
        "127.0.0.1", static_cast<Poco::UInt16>(server.port()), context);
    session->setKeepAlive(true);
    return session;
  }
  // "200 text"
  std::string Ask(Poco::Net::HTTPSClientSession& session, const std::string& target,
                  const std::string& method = "GET") {
    Poco::Net::HTTPRequest request(method, target, Poco::Net::HTTPMessage::HTTP_1_1);
    session.sendRequest(request);
    Poco::Net::HTTPResponse response;
    std::string body;
    Poco::StreamCopier::copyToString(session.receiveResponse(response), body);
    return std::to_string(response.getStatus()) + " " + body;
  }

  ServingOptions options_;
  Mux mux_;
};

TEST_F(HttpsServerTest, ServesTheMuxOverTlsWithACertificateOfItsOwn) {
  auto server = HttpsServer::Start(options_, mux_);
  ASSERT_TRUE(server.ok()) << server.status().message();
  auto session = Connect(**server);
  EXPECT_EQ(Ask(*session, "/hello"), "200 hello");
  EXPECT_EQ(Ask(*session, "/hello?loud"), "200 HELLO");
  EXPECT_EQ(Ask(*session, "/hello", "HEAD"), "200 ");
  EXPECT_EQ(Ask(*session, "/nothing"), "404 404 page not found\n");
  EXPECT_EQ(Ask(*session, "/%zz"), "400 bad request\n");
}

TEST_F(HttpsServerTest, IdleConnectionsDoNotStarveAProbe) {
  auto server = HttpsServer::Start(options_, mux_);
  ASSERT_TRUE(server.ok()) << server.status().message();
  std::vector<std::unique_ptr<Poco::Net::HTTPSClientSession>> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(Connect(**server));
    EXPECT_EQ(Ask(*idle.back(), "/hello"), "200 hello");
  }
  EXPECT_EQ(Ask(*Connect(**server), "/hello"), "200 hello");
}

TEST_F(HttpsServerTest, APortThatIsTakenIsNamed) {
  auto first = HttpsServer::Start(options_, mux_);
  ASSERT_TRUE(first.ok()) << first.status().message();
  options_.secure_port = (*first)->port();
  EXPECT_THAT(HttpsServer::Start(options_, mux_).status().message(),
              AllOf(StartsWith("can not serve on 127.0.0.1:" + std::to_string((*first)->port())),
                    HasSubstr("in use")));
}

TEST_F(HttpsServerTest, ACertificateFileThatCanNotBeReadIsNamed) {
  options_.tls_cert_file = "/does/not/exist.crt";
  options_.tls_private_key_file = "/does/not/exist.key";
  EXPECT_THAT(HttpsServer::Start(options_, mux_).status().message(),
              StartsWith("--tls-cert-file /does/not/exist.crt: "));
}

}  // namespace
}  // namespace capstan::manager
