#include "base/http/server_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace capstan::http {
namespace {

using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Phase = ServerConnection::Phase;

// A connection whose client is the test, with a clock set by the test.
class ServerConnectionTest : public ::testing::Test {
 protected:
  ServerConnectionTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    client_ = io::UniqueFd(ends[0]);
    connection_ = std::make_unique<ServerConnection>(
        io::UniqueFd(ends[1]), std::make_unique<PlainStream>(ends[1]),
        ServerConnection::Client{.address = "10.0.0.1:5000", .origin = {}}, limits_, At(0));
  }

  static MonotonicTime At(int second) { return MonotonicTime(seconds(1000 + second)); }
  // The phase of the connection after the client has sent `text`.
  Phase ClientSends(const std::string& text, int second) {
    EXPECT_EQ(send(client_.get(), text.data(), text.size(), 0), std::ssize(text));
    connection_->Advance(At(second));
    return connection_->phase();
  }
  Phase Answer(const std::string& body, int second) {
    connection_->Answer(ServerResponse{.body = body}, At(second));
    return connection_->phase();
  }
  // The data that the client has received.
  std::string ClientReceives() {
    std::string heard(1 << 20, '\0');
    const ssize_t size = recv(client_.get(), heard.data(), heard.size(), 0);
    heard.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return heard;
  }

  const ServingLimits limits_;
  io::UniqueFd client_;
  std::unique_ptr<ServerConnection> connection_;
};

TEST_F(ServerConnectionTest, SharesOneDeadlineBetweenHandshakeHeadAndBody) {
  connection_->Advance(At(0));
  EXPECT_EQ(connection_->phase(), Phase::kReading);
  EXPECT_EQ(connection_->deadline(), At(5));
  EXPECT_EQ(ClientSends("PUT / HTTP/1.1\r\n", 2), Phase::kReading);
  EXPECT_EQ(connection_->deadline(), At(5));
  EXPECT_EQ(ClientSends("Host: a\r\nContent-Length: 9\r\n\r\nb", 4), Phase::kReading);
  EXPECT_EQ(connection_->deadline(), At(5));
  EXPECT_TRUE(connection_->WantsRead());
}

TEST_F(ServerConnectionTest, HasNoDeadlineWhileTheHandlerRuns) {
  EXPECT_EQ(ClientSends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", 1), Phase::kReady);
  const ServerRequest request = connection_->TakeRequest(At(1));
  EXPECT_EQ(request.path, "/a");
  EXPECT_EQ(request.remote_address, "10.0.0.1:5000");
  EXPECT_EQ(connection_->phase(), Phase::kServing);
  EXPECT_EQ(connection_->deadline(), MonotonicTime::max());
  EXPECT_FALSE(connection_->WantsRead());
  EXPECT_FALSE(connection_->WantsWrite());
}

TEST_F(ServerConnectionTest, StartsANewDeadlineForTheNextRequest) {
  ClientSends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", 1);
  connection_->TakeRequest(At(1));
  EXPECT_EQ(Answer("one", 20), Phase::kIdle);
  EXPECT_THAT(ClientReceives(), EndsWith("\r\n\r\none"));
  EXPECT_EQ(connection_->deadline(), At(110));
  EXPECT_EQ(ClientSends("G", 50), Phase::kReading);
  EXPECT_EQ(connection_->deadline(), At(55));
  EXPECT_EQ(ClientSends("ET /a HTTP/1.1\r\nHost: a\r\n\r\n", 54), Phase::kReady);
}

TEST_F(ServerConnectionTest, ReadsAPipelinedRequestAfterTheResponse) {
  ClientSends("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n", 1);
  EXPECT_EQ(connection_->TakeRequest(At(1)).path, "/a");
  EXPECT_EQ(Answer("one", 1), Phase::kReady);
  EXPECT_EQ(connection_->TakeRequest(At(1)).path, "/b");
}

TEST_F(ServerConnectionTest, DerivesTheWriteDeadlineFromTheResponseSize) {
  ClientSends("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", 1);
  connection_->TakeRequest(At(1));
  EXPECT_EQ(Answer(std::string(10 * limits_.bytes_a_second, 'b'), 2), Phase::kWriting);
  EXPECT_EQ(connection_->deadline(), At(2 + 5 + 10));
  EXPECT_TRUE(connection_->WantsWrite());
  size_t size = ClientReceives().size();
  while (connection_->phase() == Phase::kWriting) {
    connection_->Advance(At(3));
    size += ClientReceives().size();
    ASSERT_LE(connection_->deadline(), At(100));
  }
  EXPECT_GT(size, 10 * limits_.bytes_a_second);
  EXPECT_EQ(connection_->phase(), Phase::kIdle);
}

TEST_F(ServerConnectionTest, DiscardsInputAfterTheLastResponse) {
  ClientSends("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 1);
  connection_->TakeRequest(At(1));
  EXPECT_EQ(Answer("bye", 2), Phase::kDraining);
  EXPECT_THAT(ClientReceives(), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_EQ(connection_->deadline(), At(7));
  EXPECT_EQ(ClientSends("more and more", 3), Phase::kDraining);
  EXPECT_EQ(connection_->deadline(), At(7));
  client_ = io::UniqueFd();
  connection_->Advance(At(4));
  EXPECT_EQ(connection_->phase(), Phase::kClosed);
}

TEST_F(ServerConnectionTest, AnswersARefusedRequestItself) {
  EXPECT_EQ(ClientSends("nonsense\r\n\r\n", 1), Phase::kDraining);
  EXPECT_THAT(ClientReceives(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_F(ServerConnectionTest, Sends100ContinueOnce) {
  EXPECT_EQ(
      ClientSends("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
                  1),
      Phase::kReading);
  EXPECT_EQ(ClientReceives(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(ClientSends("a", 1), Phase::kReading);
  EXPECT_EQ(ClientReceives(), "");
  EXPECT_EQ(ClientSends("b", 1), Phase::kReady);
  EXPECT_EQ(connection_->TakeRequest(At(1)).body, "ab");
}

TEST_F(ServerConnectionTest, EndsWhenTheClientLeaves) {
  ClientSends("GET /a HT", 1);
  client_ = io::UniqueFd();
  connection_->Advance(At(1));
  EXPECT_EQ(connection_->phase(), Phase::kClosed);
}

TEST_F(ServerConnectionTest, PassesARefusedRequestToAHandlerOnRequest) {
  ServingLimits limits;
  limits.request.body = 3;
  limits.request.handler_refuses = true;
  int ends[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  client_ = io::UniqueFd(ends[0]);
  connection_ = std::make_unique<ServerConnection>(io::UniqueFd(ends[1]),
                                                   std::make_unique<PlainStream>(ends[1]),
                                                   ServerConnection::Client{}, limits, At(0));
  EXPECT_EQ(ClientSends("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n", 1),
            Phase::kReady);
  const ServerRequest request = connection_->TakeRequest(At(1));
  ASSERT_TRUE(request.refusal.has_value());
  EXPECT_EQ(request.refusal->status, 413);
  EXPECT_EQ(request.Header("Host"), "a");
  EXPECT_EQ(Answer("no", 2), Phase::kDraining);
  EXPECT_THAT(ClientReceives(), HasSubstr("Connection: close\r\n"));
  connection_.reset();  // destroyed before the limits
}

class StreamingConnectionTest : public ServerConnectionTest {
 protected:
  // Sends a request, which is answered by the stream.
  void Ask(const std::string& request) {
    EXPECT_EQ(ClientSends(request, 1), Phase::kReady);
    connection_->TakeRequest(At(1));
    connection_->Answer(ServerResponse{.stream = std::make_shared<BodyReader>(stream_)}, At(1));
  }

  std::shared_ptr<BodyStream> stream_ = std::make_shared<BodyStream>(SystemRuntime());
};

TEST_F(StreamingConnectionTest, SendsWrittenBytesAsChunks) {
  Ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(connection_->phase(), Phase::kStreaming);
  const std::string head = ClientReceives();
  EXPECT_THAT(head, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  EXPECT_EQ(connection_->deadline(), MonotonicTime::max());
  EXPECT_FALSE(connection_->WantsRead());
  EXPECT_FALSE(connection_->WantsWrite());
  stream_->Write("0123456789abcdef!");
  connection_->Advance(At(100));
  EXPECT_EQ(ClientReceives(), "11\r\n0123456789abcdef!\r\n");
  stream_->Write("x");
  stream_->End();
  connection_->Advance(At(200));
  EXPECT_EQ(ClientReceives(), "1\r\nx\r\n0\r\n\r\n");
  EXPECT_EQ(connection_->phase(), Phase::kIdle);
  EXPECT_TRUE(stream_->closed().stop_requested());
  EXPECT_EQ(ClientSends("GET /b HTTP/1.1\r\nHost: a\r\n\r\n", 201), Phase::kReady);
}

TEST_F(StreamingConnectionTest, SendsNoLastChunkAfterAnAbort) {
  Ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  ClientReceives();
  stream_->Break();
  connection_->Advance(At(2));
  EXPECT_EQ(connection_->phase(), Phase::kClosed);
  EXPECT_EQ(ClientReceives(), "");
}

TEST_F(StreamingConnectionTest, EndsByClosingForAClientOfHttp10) {
  Ask("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const std::string head = ClientReceives();
  EXPECT_EQ(head.find("Transfer-Encoding"), std::string::npos);
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  stream_->Write("x");
  stream_->End();
  connection_->Advance(At(2));
  EXPECT_EQ(ClientReceives(), "x");
  EXPECT_EQ(connection_->phase(), Phase::kDraining);
}

TEST_F(StreamingConnectionTest, SendsNoBodyAfterHead) {
  Ask("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(ClientReceives(), EndsWith("\r\n\r\n"));
  EXPECT_EQ(connection_->phase(), Phase::kIdle);
  EXPECT_TRUE(stream_->closed().stop_requested());
}

TEST_F(StreamingConnectionTest, HasADeadlineOnlyWhileTheClientDoesNotRead) {
  Ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string piece(BodyStream::kCapacity, 'x');
  for (int i = 0; i < 64 && !connection_->WantsWrite(); ++i) {
    stream_->Write(piece);
    connection_->Advance(At(10));
  }
  ASSERT_TRUE(connection_->WantsWrite());
  EXPECT_EQ(connection_->deadline(), At(15));
  connection_->Advance(At(12));  // the client has not read anything
  EXPECT_EQ(connection_->deadline(), At(15));
  // The client reads everything, and a stream may be idle without a limit.
  while (!ClientReceives().empty()) connection_->Advance(At(14));
  EXPECT_FALSE(connection_->WantsWrite());
  EXPECT_EQ(connection_->deadline(), MonotonicTime::max());
}

}  // namespace
}  // namespace capstan::http
