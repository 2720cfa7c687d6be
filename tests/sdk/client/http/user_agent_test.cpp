#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/client/rest_config.h>

namespace capstan {
namespace {

using ::testing::MatchesRegex;

TEST(UserAgent, NamesTheExecutableVersionAndMachine) {
  EXPECT_THAT(DefaultUserAgent(),
              MatchesRegex("[^ /]+/v[0-9.]+ \\(linux/[a-z0-9_]+\\) capstan/.+"));
}

TEST(UserAgent, NamesTheComponentInsteadOfTheExecutable) {
  EXPECT_THAT(DefaultUserAgent("leader-election"), MatchesRegex("leader-election/v.*"));
}

}  // namespace
}  // namespace capstan
