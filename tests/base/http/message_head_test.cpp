#include "base/http/message_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Kind = BodyLength::Kind;

Kind KindOf(const Fields& fields) { return LengthOf(fields).kind; }

TEST(StatusLine, ParsesVersionStatusAndOptionalReason) {
  const auto line = ParseStatusLine("HTTP/1.1 404 Not Found");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->status, 404);
  EXPECT_EQ(line->reason, "Not Found");
  EXPECT_FALSE(line->is_http_1_0);
  EXPECT_TRUE(ParseStatusLine("HTTP/1.0 200")->is_http_1_0);
  EXPECT_EQ(ParseStatusLine("HTTP/1.1 200 ")->reason, "");
  for (const char* bad : {"", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 abc OK",
                          "HTTP/2.0 200 OK", "HTTP/1.2 200 OK", "HTTP/1.1  200 OK",
                          "http/1.1 200 OK", "ICY 200 OK", "HTTP/1.1 200 O\rK"}) {
    EXPECT_FALSE(ParseStatusLine(bad)) << bad;
  }
}

TEST(MessageHead, FindsFieldsIgnoringCase) {
  Fields fields;
  ASSERT_TRUE(ParseFields("A: 1\r\nb:\t 2 \r\na:\r\n", fields));
  EXPECT_THAT(fields, ElementsAre(Pair("A", "1"), Pair("b", "2"), Pair("a", "")));
  EXPECT_EQ(CountFields(fields, "a"), 2U);
  EXPECT_EQ(FieldValue(fields, "B"), "2");
  EXPECT_EQ(FieldValue(fields, "c"), "");
}

TEST(MessageHead, ReadsTheBodyLength) {
  EXPECT_EQ(KindOf({}), Kind::kNone);
  EXPECT_EQ(LengthOf({{"content-length", "17"}}).size, 17U);
  EXPECT_EQ(KindOf({{"Content-Length", "18446744073709551616"}}), Kind::kTooLarge);
  EXPECT_EQ(KindOf({{"Content-Length", "-1"}}), Kind::kUnclear);
  EXPECT_EQ(KindOf({{"Content-Length", "1"}, {"Content-Length", "2"}}), Kind::kUnclear);
  EXPECT_TRUE(LengthOf({{"Content-Length", "1"}, {"Content-Length", "1"}}).is_doubtful);
  EXPECT_EQ(KindOf({{"Transfer-Encoding", "Chunked"}}), Kind::kChunked);
  EXPECT_EQ(KindOf({{"Transfer-Encoding", "gzip"}}), Kind::kUnknown);
  EXPECT_TRUE(LengthOf({{"Transfer-Encoding", "chunked"}, {"Content-Length", "1"}}).is_doubtful);
}

TEST(HeadScanner, FindsAnEndThatSpansTwoPieces) {
  HeadScanner scanner(HeadLimits{});
  const std::string text = "\r\nA\r\nB: c\r\n\r\nrest";
  std::string_view head;
  std::string_view rest;
  size_t begin = 0;
  for (size_t end = 1; end <= text.size(); ++end) {
    rest = std::string_view(text).substr(begin, end - begin);
    const HeadScanner::State state = scanner.Feed(rest, head);
    begin = end - rest.size();
    if (state == HeadScanner::State::kComplete) break;
    ASSERT_EQ(state, HeadScanner::State::kMore) << end;
  }
  EXPECT_EQ(head, "A\r\nB: c\r\n");
  EXPECT_EQ(text.substr(begin), "rest");
}

}  // namespace
}  // namespace capstan::http
