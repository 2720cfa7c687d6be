#include "apiserver/validation/pattern.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace capstan::testing::server {
namespace {

bool Finds(std::string_view expression, std::string_view text) {
  const auto pattern = Pattern::Compile(expression);
  EXPECT_TRUE(pattern.has_value()) << expression;
  return pattern && pattern->IsFoundIn(text);
}

TEST(Pattern, MatchesAnywhereUnlessAnchored) {
  EXPECT_TRUE(Finds("b+", "abbc"));
  EXPECT_FALSE(Finds("^b+$", "abbc"));
  EXPECT_TRUE(Finds("^a?b{2,3}c*$", "bbb"));
  EXPECT_FALSE(Finds("^a?b{2,3}c*$", "b"));
  EXPECT_TRUE(Finds("", ""));
}

TEST(Pattern, SupportsClassesGroupsAndEscapes) {
  EXPECT_TRUE(Finds(R"(^[a-z]([-a-z0-9]*[a-z0-9])?(\.[a-z]+)*$)", "my-name.example.com"));
  EXPECT_FALSE(Finds(R"(^[a-z]([-a-z0-9]*[a-z0-9])?$)", "my-"));
  EXPECT_TRUE(Finds(R"(^(?:\d{4}-\d{2}|never)$)", "2026-01"));
  EXPECT_TRUE(Finds(R"(^[^\s/]+$)", "a_b"));
  EXPECT_FALSE(Finds(R"(^[^\s/]+$)", "a b"));
  EXPECT_TRUE(Finds(R"(^[[:alpha:]]+[]-]$)", "Ab]"));
  EXPECT_TRUE(Finds("(?i)^HELLO$", "hello"));
  EXPECT_TRUE(Finds("^.$", "\xc3\xa4"));
  EXPECT_TRUE(Finds(R"(\bcat\b)", "a cat sits"));
  EXPECT_FALSE(Finds(R"(\bcat\b)", "concatenate"));
}

TEST(Pattern, SupportsGosFlagsUnicodeClassesAndNamedGroups) {
  EXPECT_TRUE(Finds(R"(^\pL\P{Greek}\p{Lu}$)", "\xc3\xa4zA"));
  EXPECT_FALSE(Finds(R"(^\pL$)", "1"));
  EXPECT_TRUE(Finds("(?m)^b$", "a\nb\nc"));
  EXPECT_FALSE(Finds("^b$", "a\nb\nc"));
  EXPECT_FALSE(Finds("^a$", "a\n"));
  EXPECT_TRUE(Finds("^(?<year>[0-9]+)-(?P<month>[0-9]+)$", "2026-11"));
  EXPECT_TRUE(Finds("^(?<n>a)(?<n>b)$", "ab"));  // Go allows it
  EXPECT_TRUE(Finds(R"(^[(?<]\Q(?<\E\(?$)", "((?<("));
  EXPECT_TRUE(Finds("^[^]a]$", "b"));
  EXPECT_TRUE(Finds("^a.c$", "abc"));
  EXPECT_FALSE(Finds("^a.c$", "a\nc"));
  EXPECT_TRUE(Finds("^[^a]$", "\n"));
  EXPECT_TRUE(Finds("(?i)^\xc3\xa4$", "\xc3\x84"));
}

TEST(Pattern, RefusesInvalidExpressions) {
  for (const char* text : {"(",
                           ")",
                           "[a",
                           "*",
                           "a{2,1}",
                           "a{1001}",
                           "\\",
                           "[z-a]",
                           "(?x)a",
                           "a**",
                           "a***",
                           "\\C",
                           "\\Z",
                           "\\1",
                           "(?=a)",
                           "(?<=a)",
                           "(?P=n)",
                           "[[:letter:]]",
                           "\\p{Letters}",
                           "\xff",
                           "((((a{1000}){1000}){1000}){1000})",
                           "((((){1000}){1000}){1000}){1000}"}) {
    EXPECT_FALSE(Pattern::Compile(text).has_value()) << text;
  }
  EXPECT_FALSE(Pattern::Compile(std::string(100'000, '(')).has_value());
  EXPECT_FALSE(Pattern::Compile(std::string(2'000, '(') + std::string(2'000, ')')).has_value());
}

TEST(Pattern, RunsInLinearTime) { EXPECT_FALSE(Finds("^(a+)+$", std::string(5'000, 'a') + "b")); }

}  // namespace
}  // namespace capstan::testing::server
