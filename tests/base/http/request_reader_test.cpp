#include "base/http/request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capstan::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ReaderState = RequestReader::State;

const std::string kGetLines = "GET / HTTP/1.1\r\nHost: a\r\n";
const std::string kPutLines = "PUT /flags HTTP/1.1\r\nHost: a\r\n";

// The status that rejects `text`, 0 when it is a complete request, -1 when it is incomplete.
int Verdict(std::string text) {
  RequestReader reader{RequestLimits()};
  switch (reader.Feed(text)) {
    case ReaderState::kComplete:
      return 0;
    case ReaderState::kMore:
      return -1;
    case ReaderState::kRefused:
      break;
  }
  return reader.TakeRefusal().status;
}

std::string BodyOf(std::string text) {
  RequestReader reader{RequestLimits()};
  return reader.Feed(text) == ReaderState::kComplete ? reader.TakeRequest().body : "(no request)";
}

TEST(RequestReader, ReadsACompleteRequest) {
  std::string text =
      "PUT /debug/flags/v?x=1 HTTP/1.1\r\nHost: a\r\nX-Thing:  one two \r\nContent-Length: 2\r\n"
      "x-thing:\r\n\r\n10";
  RequestReader reader{RequestLimits()};
  EXPECT_FALSE(reader.HasBegun());
  ASSERT_EQ(reader.Feed(text), ReaderState::kComplete);
  EXPECT_TRUE(reader.HasBegun());
  EXPECT_TRUE(reader.KeepsAlive());
  const ServerRequest request = reader.TakeRequest();
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.path, "/debug/flags/v");
  EXPECT_EQ(request.Get("x"), "1");
  EXPECT_THAT(request.headers, ElementsAre(Pair("Host", "a"), Pair("X-Thing", "one two"),
                                           Pair("Content-Length", "2"), Pair("x-thing", "")));
  EXPECT_EQ(request.body, "10");
  EXPECT_EQ(text, "");
}

TEST(RequestReader, LeavesThePipelinedRequestInTheBuffer) {
  std::string text = kPutLines + "Content-Length: 3\r\n\r\nabcGET /next";
  RequestReader reader{RequestLimits()};
  ASSERT_EQ(reader.Feed(text), ReaderState::kComplete);
  EXPECT_EQ(reader.TakeRequest().body, "abc");
  EXPECT_EQ(text, "GET /next");
}

TEST(RequestReader, ReadsARequestThatArrivesByteByByte) {
  const std::vector<std::string> texts{
      kPutLines + "Content-Length: 3\r\n\r\nabc",
      kPutLines +
          "Transfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n2 \r\nbc\r\n0\r\nTrailer: t\r\n\r\n",
      "\r\n\r\n" + kPutLines + "Content-Length: 3\r\n\r\nabc"};
  for (const std::string& text : texts) {
    RequestReader reader{RequestLimits()};
    std::string input;
    for (size_t i = 0; i < text.size(); ++i) {
      input += text[i];
      ASSERT_EQ(reader.Feed(input),
                i + 1 == text.size() ? ReaderState::kComplete : ReaderState::kMore)
          << text.substr(0, i + 1);
    }
    EXPECT_EQ(reader.TakeRequest().body, "abc");
    EXPECT_EQ(input, "");
  }
}

TEST(RequestReader, RefusesMalformedRequests) {
  const std::vector<std::string> bad{
      "GET /\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET nothing HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
      " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\n\n",
      "GET / HTTP/1.1\r\n\r\n",
      kGetLines + "Host: b\r\n\r\n",
      kGetLines + "no colon\r\n\r\n",
      kGetLines + "Space : a\r\n\r\n",
      kGetLines + "Folded: a\r\n b\r\n\r\n",
      kGetLines + ": no name\r\n\r\n",
      kGetLines + "Bare: a\rb\r\n\r\n",
      kGetLines + std::string("Nul: a\0b\r\n\r\n", 12),
      "\r\n\r\n\r\n\r\n\r\n",
      "\x16\x03\x01\x02\n",
  };
  for (const std::string& text : bad) EXPECT_EQ(Verdict(text), 400) << text;
  EXPECT_EQ(Verdict("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
}

TEST(RequestReader, RefusesAnAmbiguousBodyLength) {
  const std::vector<std::string> bad{
      "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
      "Content-Length: 1, 1\r\n\r\na",
      "Content-Length: +1\r\n\r\na",
      "Content-Length: -1\r\n\r\na",
      "Content-Length: \r\n\r\n",
      "Content-Length: 0x1\r\n\r\na",
      "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\nx\r\n",
      "Transfer-Encoding: chunked\r\n\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
      "Transfer-Encoding: chunked\r\n\r\n000000001\r\na\r\n",
      "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(300, 'x'),
  };
  for (const std::string& rest : bad) EXPECT_EQ(Verdict(kPutLines + rest), 400) << rest;
  EXPECT_EQ(Verdict(kPutLines + "\r\n"), 411);
  EXPECT_EQ(Verdict(kPutLines + "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(Verdict("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(RequestReader, LimitsTheSizeOfHeadAndBody) {
  const RequestLimits limits;
  EXPECT_EQ(Verdict("GET /" + std::string(limits.line, 'a')), 414);
  EXPECT_EQ(Verdict(kGetLines + "A: " + std::string(limits.head, 'a')), 431);
  std::string many = kGetLines;
  for (size_t i = 1; i < limits.headers; ++i) many += "A: b\r\n";
  EXPECT_EQ(Verdict(many + "\r\n"), 0);
  EXPECT_EQ(Verdict(many + "A: b\r\n"), 431);

  const std::string most(limits.body, 'b');
  EXPECT_EQ(BodyOf(kPutLines + "Content-Length: 65536\r\n\r\n" + most), most);
  EXPECT_EQ(Verdict(kPutLines + "Content-Length: 65537\r\n\r\n"), 413);
  EXPECT_EQ(Verdict(kPutLines + "Content-Length: 99999999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(
      BodyOf(kPutLines + "Transfer-Encoding: chunked\r\n\r\n10000\r\n" + most + "\r\n0\r\n\r\n"),
      most);
  EXPECT_EQ(Verdict(kPutLines + "Transfer-Encoding: chunked\r\n\r\n10001\r\n"), 413);
  EXPECT_EQ(Verdict(kPutLines + "Transfer-Encoding: chunked\r\n\r\nffff\r\n" + most.substr(1) +
                    "\r\n2\r\n"),
            413);
  EXPECT_EQ(
      Verdict(kPutLines + "Transfer-Encoding: chunked\r\n\r\n0\r\nT: " + std::string(5000, 't')),
      431);
}

TEST(RequestReader, Sends100ContinueToAClientThatExpectsIt) {
  std::string text = kPutLines + "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n";
  RequestReader reader{RequestLimits()};
  EXPECT_EQ(reader.Feed(text), ReaderState::kMore);
  EXPECT_TRUE(reader.TakeExpectation());
  EXPECT_FALSE(reader.TakeExpectation());

  std::string with_body = kPutLines + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\na";
  RequestReader impatient{RequestLimits()};
  EXPECT_EQ(impatient.Feed(with_body), ReaderState::kMore);
  EXPECT_FALSE(impatient.TakeExpectation());

  EXPECT_EQ(Verdict(kPutLines + "Expect: 100-continue\r\nContent-Length: 65537\r\n\r\n"), 413);
  EXPECT_EQ(Verdict(kPutLines + "Expect: wonders\r\nContent-Length: 1\r\n\r\n"), 417);
}

TEST(RequestReader, DecidesWhetherTheConnectionIsKeptAlive) {
  const auto goes_on = [](std::string text) {
    RequestReader reader{RequestLimits()};
    EXPECT_EQ(reader.Feed(text), ReaderState::kComplete);
    return reader.KeepsAlive();
  };
  EXPECT_TRUE(goes_on(kGetLines + "\r\n"));
  EXPECT_FALSE(goes_on(kGetLines + "Connection: Upgrade, Close\r\n\r\n"));
  EXPECT_FALSE(goes_on("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(goes_on("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
  EXPECT_FALSE(goes_on(kGetLines + "Connection: close\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestReader, AcceptsAnAbsoluteTarget) {
  std::string text = "GET http://host:1/path?q HTTP/1.1\r\nHost: host:1\r\n\r\n";
  RequestReader reader{RequestLimits()};
  ASSERT_EQ(reader.Feed(text), ReaderState::kComplete);
  const ServerRequest request = reader.TakeRequest();
  EXPECT_EQ(request.path, "/path");
  EXPECT_TRUE(request.Has("q"));
}

TEST(RequestReader, KeepsTheRawTargetOnRequest) {
  RequestLimits limits;
  limits.decodes_target = false;
  RequestReader reader{limits};
  std::string text = "GET http://a/b%zz?c=%zz HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_EQ(reader.Feed(text), ReaderState::kComplete);
  const ServerRequest request = reader.TakeRequest();
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/b%zz?c=%zz");
  EXPECT_EQ(request.path, "");
}

TEST(RequestReader, AcceptsAPostWithoutALengthWhereThatIsAllowed) {
  RequestLimits limits;
  limits.needs_length = false;
  RequestReader reader{limits};
  std::string text = "POST / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(Verdict(text), 411);
  ASSERT_EQ(reader.Feed(text), ReaderState::kComplete);
  EXPECT_EQ(reader.TakeRequest().body, "");
}

}  // namespace
}  // namespace capstan::http
