#include "config/config_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::manager {
namespace {

using ::testing::HasSubstr;

std::string YamlErrorOf(const std::string& text) { return ParseYaml(text).status().message(); }

TEST(ConfigYaml, RecordsThePositionOfEveryNode) {
  const auto root = ParseYaml("a: 1\nb:\n  - x\n  - 'y'\nc: {d: true}\n");
  ASSERT_TRUE(root.ok()) << root.status().message();
  EXPECT_EQ(root->Find("a")->Place(), "1:4");
  EXPECT_EQ(root->Find("b")->items[1].Place(), "4:5");
  EXPECT_EQ(root->Find("c")->Find("d")->Place(), "5:8");
  EXPECT_EQ(root->Find("e"), nullptr);
}

TEST(ConfigYaml, DistinguishesTextNumbersAndBools) {
  const auto root = ParseYaml("[1, '1', 0.5, yes, text, 12h0m0s, 0.0.0.0, ~, 0x1f, -3, {}, []]");
  ASSERT_TRUE(root.ok());
  const char* const kinds[] = {"a number", "text in quotes", "a number", "true or false",
                               "text",     "text",           "text",     "nothing",
                               "a number", "a number",       "a map",    "a list"};
  ASSERT_EQ(root->items.size(), std::size(kinds));
  for (size_t i = 0; i < std::size(kinds); ++i) EXPECT_EQ(KindName(root->items[i]), kinds[i]) << i;
}

TEST(ConfigYaml, KeepsDuplicateKeys) {
  const auto root = ParseYaml("a: 1\na: 2\n");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->keys.size(), 2U);
}

TEST(ConfigYaml, ResolvesAnchors) {
  const auto root = ParseYaml("a: &x [1, 2]\nb: *x\n");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(root->Find("b")->items.size(), 2U);
  EXPECT_EQ(root->Find("b")->Place(), "2:4");
}

TEST(ConfigYaml, AnAliasBombIsRefusedBeforeItIsExpanded) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string("*") + static_cast<char>(c - 1) + ", ";
    bomb += std::string("*") + static_cast<char>(c - 1) + "]\n";
  }
  EXPECT_THAT(YamlErrorOf(bomb), HasSubstr("too large for a configuration"));
}

TEST(ConfigYaml, AnAnchorThatContainsItselfIsRefused) {
  EXPECT_EQ(YamlErrorOf("a: &x [*x]\n"), "1:8: the anchor contains itself");
}

TEST(ConfigYaml, DepthIsBounded) {
  EXPECT_THAT(YamlErrorOf(std::string(100, '[')), HasSubstr("nested too deeply"));
  EXPECT_FALSE(ParseYaml(std::string(100'000, '[')).ok());
  EXPECT_FALSE(ParseYaml(std::string(100'000, '{')).ok());
}

TEST(ConfigYaml, TheNumberOfNodesIsBounded) {
  std::string many = "[";
  for (int i = 0; i < 20'000; ++i) many += "x,";
  EXPECT_THAT(YamlErrorOf(many + "x]"), HasSubstr("too large for a configuration"));
}

TEST(ConfigYaml, MoreThanOneDocumentIsRefused) {
  EXPECT_THAT(YamlErrorOf("a: 1\n---\nb: 2\n"), HasSubstr("there is more than one document"));
  EXPECT_TRUE(ParseYaml("---\na: 1\n").ok());
}

TEST(ConfigYaml, ASyntaxErrorIsReportedWithItsPosition) {
  EXPECT_THAT(YamlErrorOf("a: 1\nb: [1\nc: 2\n"), HasSubstr(": is not YAML: "));
  EXPECT_EQ(YamlErrorOf("a: 1\n\tb: 2\n").substr(0, 2), "2:");
  EXPECT_EQ(YamlErrorOf(std::string("a: \0b", 5)), "1:1: is not YAML: it contains a NUL byte");
  EXPECT_EQ(YamlErrorOf("a: !!binary x"),
            "1:4: tags such as tag:yaml.org,2002:binary are not supported");
}

TEST(ConfigYaml, EmptyInputHasNoDocument) {
  for (const char* text : {"", "\n\n", "# only a remark\n"}) {
    const auto root = ParseYaml(text);
    EXPECT_TRUE(!root.ok() || root->IsNull()) << text;
  }
}

TEST(ConfigYaml, AMissingFileOrADirectoryIsAnErrorThatNamesThePath) {
  EXPECT_EQ(ReadSmallFile("/does/not/exist").status().message(),
            "/does/not/exist: No such file or directory");
  EXPECT_THAT(ReadSmallFile("/proc/self").status().message(), HasSubstr("/proc/self: "));
  EXPECT_THAT(ReadSmallFile("/dev/zero").status().message(), HasSubstr("larger than 1 MiB"));
}

}  // namespace
}  // namespace capstan::manager
