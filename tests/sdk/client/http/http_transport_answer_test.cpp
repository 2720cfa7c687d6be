// How the transport handles responses: streamed, large, truncated and malformed ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "http_transport_requests.h"
#include "http_transport_server.h"

namespace capstan {
namespace {

using namespace http_test;
using ::testing::HasSubstr;

// Serves one connection: sends `answer` to the first request and closes.
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

TEST(HttpTransportAnswer, DeliversEachChunkAtOnce) {
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

TEST(HttpTransportAnswer, ReadsLargeBodiesOfEveryFraming) {
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

TEST(HttpTransportAnswer, ReadAllRefusesABodyOverItsLimit) {
  ScriptedServer server(AnswerOnce("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901"));
  auto response = TransportFor(ConfigFor(server))->RoundTrip(Get(), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(ReadAll(**response, 10).status().reason(), StatusReason::kMalformed);
}

TEST(HttpTransportAnswer, SkipsInterimResponses) {
  ScriptedServer server(
      AnswerOnce("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n"
                 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  const auto body = BodyOf(*TransportFor(ConfigFor(server)), Get());
  ASSERT_TRUE(body) << body.status().ToString();
  EXPECT_EQ(*body, "ok");
}

TEST(HttpTransportAnswer, ATruncatedBodyIsAnError) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& answer :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), chunked,
        chunked + "5\r\nfir", chunked + "5\r\nfirst\r\n", chunked + "5\r\nfirst\r\n0\r\n",
        chunked + "5\r\nfirst\r\n0\r\nTrailer: x"}) {
    const Status status = FailureOf(answer);
    EXPECT_EQ(status.reason(), StatusReason::kTransport) << answer;
    EXPECT_THAT(status.message(), HasSubstr("in the middle of the response")) << answer;
  }
}

TEST(HttpTransportAnswer, AMalformedResponseIsAnError) {
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
    EXPECT_THAT(status.message(), HasSubstr("malformed HTTP response")) << answer;
  }
}

TEST(HttpTransportAnswer, ATruncatedHeadIsAnError) {
  const Status status = FailureOf("HTTP/1.1 200 OK\r\nContent-Le");
  EXPECT_EQ(status.reason(), StatusReason::kTransport);
  EXPECT_THAT(status.message(), HasSubstr("in the middle of the response"));
}

TEST(HttpTransportAnswer, AnUnboundedHeadIsAnError) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 100; ++i) head += "X-Header: " + std::string(1000, 'x') + "\r\n";
  const Status status = FailureOf(head);
  EXPECT_EQ(status.reason(), StatusReason::kTransport);
  EXPECT_THAT(status.message(), HasSubstr("its headers are larger than 65536 bytes"));
}

}  // namespace
}  // namespace capstan
