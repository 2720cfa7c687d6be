#include "access/allowed_paths.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace capstan::manager {
namespace {

TEST(CleanPath, NormalizesLikeGosServeMux) {
  for (const auto& [path, clean] :
       {std::pair{"/healthz", "/healthz"}, std::pair{"//healthz", "/healthz"},
        std::pair{"/./healthz", "/healthz"}, std::pair{"/healthz/.", "/healthz/"},
        std::pair{"/healthz/", "/healthz/"}, std::pair{"/healthz//", "/healthz/"},
        std::pair{"/healthz/..", "/"}, std::pair{"/healthz/../metrics", "/metrics"},
        std::pair{"/../../metrics", "/metrics"}, std::pair{"/a/b/../../../c", "/c"},
        std::pair{"/a/...", "/a/..."}, std::pair{"/..a/b.", "/..a/b."},
        std::pair{"healthz", "/healthz"}, std::pair{"/", "/"}, std::pair{"", "/"}}) {
    EXPECT_EQ(CleanPath(path), clean) << path;
    EXPECT_EQ(CleanPath(clean), clean) << path;
  }
}

TEST(AllowedPaths, MatchWholePaths) {
  const auto paths = AllowedPaths::Parse({"/healthz", "livez"}).value();
  EXPECT_TRUE(paths.Matches("/healthz"));
  EXPECT_TRUE(paths.Matches("/livez"));
  for (const char* path : {"/healthz/", "/healthz/ping", "/healthzz", "/Healthz", "/", "healthz"}) {
    EXPECT_FALSE(paths.Matches(path)) << path;
  }
}

TEST(AllowedPaths, MatchPrefixesWithATrailingStar) {
  const auto paths = AllowedPaths::Parse({"/healthz*", "/debug/*"}).value();
  for (const char* path : {"/healthz", "/healthz/ping", "/healthzz", "/debug/", "/debug/pprof"}) {
    EXPECT_TRUE(paths.Matches(path)) << path;
  }
  for (const char* path : {"/debug", "/health", "/metrics"}) EXPECT_FALSE(paths.Matches(path));
  EXPECT_TRUE(AllowedPaths::Parse({"*"}).value().Matches("/metrics"));
}

TEST(AllowedPaths, NoneAreAllowedByDefault) {
  EXPECT_FALSE(AllowedPaths().Matches("/"));
  EXPECT_TRUE(AllowedPaths::Parse({"/"}).value().Matches("/"));
  EXPECT_FALSE(AllowedPaths::Parse({"/"}).value().Matches("/healthz"));
}

TEST(AllowedPaths, AStarElsewhereIsAnError) {
  for (const char* path : {"/a/*/b", "/**", "*a"}) {
    const auto paths = AllowedPaths::Parse({"/healthz", path});
    EXPECT_EQ(paths.status().message(),
              "--authorization-always-allow-paths: only trailing * allowed in \"" +
                  std::string(path) + "\"");
  }
}

}  // namespace
}  // namespace capstan::manager
