#include "base/http/mux.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace capstan::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

ServerResponse Get(const Mux& mux, std::string_view target) {
  auto request = ParseTarget("GET", target);
  EXPECT_TRUE(request.ok()) << request.status().message();
  return mux.Serve(*request);
}

Mux::Handler Says(std::string text) {
  return [text = std::move(text)](const ServerRequest&) { return ServerResponse{.body = text}; };
}

TEST(ParseTarget, SplitsPathAndQueryAndDecodesThem) {
  auto request = ParseTarget("GET", "/a%20b/c?verbose&x=1+2&y=%26&&z=");
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->path, "/a b/c");
  EXPECT_THAT(request->query,
              ElementsAre(Pair("verbose", ""), Pair("x", "1 2"), Pair("y", "&"), Pair("z", "")));
  EXPECT_TRUE(request->Has("verbose"));
  EXPECT_FALSE(request->Has("quiet"));
  EXPECT_EQ(request->Get("quiet"), "");
  EXPECT_EQ(request->Get("x"), "1 2");
}

TEST(ParseTarget, RefusesAnInvalidPath) {
  for (const char* target : {"", "healthz", "/%", "/%4", "/%zz", "/a?b=%4", "http://x/"}) {
    EXPECT_FALSE(ParseTarget("GET", target).ok()) << target;
  }
}

TEST(Mux, DispatchesToTheLongestMatchingPath) {
  Mux mux;
  mux.Handle("/a", Says("exact"));
  mux.Handle("/a/", Says("below"));
  mux.Handle("/a/b", Says("deeper"));
  EXPECT_EQ(Get(mux, "/a").body, "exact");
  EXPECT_EQ(Get(mux, "/a/").body, "below");
  EXPECT_EQ(Get(mux, "/a/b").body, "deeper");
  EXPECT_EQ(Get(mux, "/a/b/c").body, "below");
  EXPECT_EQ(Get(mux, "/a/x?y").body, "below");
}

TEST(Mux, AnswersNotFoundForUnknownPaths) {
  Mux mux;
  mux.Handle("/a", Says("a"));
  EXPECT_EQ(Get(mux, "/").status, 404);
  EXPECT_EQ(Get(mux, "/ab").status, 404);
  EXPECT_EQ(Get(mux, "/a/b").status, 404);
}

TEST(Mux, ServesOnlyGetAndHead) {
  Mux mux;
  mux.Handle("/a", Says("a"));
  EXPECT_EQ(mux.Serve({.method = "HEAD", .path = "/a", .query = {}}).status, 200);
  EXPECT_EQ(mux.Serve({.method = "POST", .path = "/a", .query = {}}).status, 405);
}

TEST(Mux, AnswersInternalErrorWhenAHandlerThrows) {
  Mux mux;
  mux.Handle("/a",
             [](const ServerRequest&) -> ServerResponse { throw std::runtime_error("secret"); });
  mux.Handle("/b", [](const ServerRequest&) -> ServerResponse { throw 7; });
  EXPECT_EQ(Get(mux, "/a").status, 500);
  EXPECT_EQ(Get(mux, "/a").body, "internal server error\n");
  EXPECT_EQ(Get(mux, "/b").status, 500);
}

}  // namespace
}  // namespace capstan::http
