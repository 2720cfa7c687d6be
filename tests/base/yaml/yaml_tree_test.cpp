#include "base/yaml/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "base/yaml/plain_scalar.h"

namespace capstan::yaml {
namespace {

constexpr Options kRoomy{.max_nodes = 1000, .max_depth = 10};

Node TreeOf(const std::string& text, const Options& options = kRoomy) {
  auto parsed = Parse(text, options);
  if (auto* const node = std::get_if<Node>(&parsed)) return std::move(*node);
  ADD_FAILURE() << std::get<Error>(parsed).text;
  return {};
}

Error ErrorOf(const std::string& text, const Options& options = kRoomy) {
  auto parsed = Parse(text, options);
  if (auto* const error = std::get_if<Error>(&parsed)) return *error;
  ADD_FAILURE() << "is a tree: " << text;
  return {};
}

std::string Tell(const Error& error) {
  return std::to_string(static_cast<int>(error.kind)) + " at " + std::to_string(error.line) + ':' +
         std::to_string(error.column);
}

std::string At(Error::Kind kind, const std::string& place) {
  return std::to_string(static_cast<int>(kind)) + " at " + place;
}

TEST(YamlTree, KeepsPositionsKindsAndTheOrderOfKeys) {
  const Node root = TreeOf("b: [1, '1', ~, {}]\na:\n  c: text\n");
  EXPECT_TRUE(root.IsMap());
  EXPECT_EQ(root.keys[0].text, "b");
  EXPECT_EQ(root.keys[1].Place(), "2:1");
  const Node& list = *root.Find("b");
  ASSERT_EQ(list.items.size(), 4U);
  EXPECT_TRUE(list.IsList());
  EXPECT_TRUE(list.items[0].plain);
  EXPECT_FALSE(list.items[1].plain);
  EXPECT_EQ(list.items[1].Place(), "1:8");
  EXPECT_TRUE(list.items[2].IsNull());
  EXPECT_TRUE(list.items[3].IsMap());
  EXPECT_EQ(root.Find("a")->Find("c")->text, "text");
  EXPECT_EQ(root.Find("c"), nullptr);
  EXPECT_EQ(list.Find("b"), nullptr);
}

TEST(YamlTree, AnExplicitTagIsKeptOrRefused) {
  const Node root = TreeOf("a: !!str 1\nb: !mine [x]\n");
  EXPECT_FALSE(root.Find("a")->plain);
  EXPECT_EQ(root.Find("a")->tag, "tag:yaml.org,2002:str");
  EXPECT_EQ(root.Find("b")->tag, "!mine");
  EXPECT_EQ(root.Find("b")->items[0].tag, "");
  Options strict = kRoomy;
  strict.accepts_tags = false;
  EXPECT_EQ(Tell(ErrorOf("a: 1\nb: !mine [x]\n", strict)), At(Error::Kind::kTag, "2:4"));
  EXPECT_TRUE(TreeOf("a: 'x'\nb: y\n", strict).Find("a"));
}

TEST(YamlTree, AnAliasIsACopyWithItsOwnPosition) {
  const Node root = TreeOf("a: &x {k: [1]}\nb: *x\n");
  EXPECT_EQ(root.Find("b")->Find("k")->items[0].text, "1");
  EXPECT_EQ(root.Find("b")->Place(), "2:4");
}

TEST(YamlTree, AnAnchorThatContainsItselfIsRefused) {
  EXPECT_EQ(Tell(ErrorOf("a: &x [*x]\n")), At(Error::Kind::kSelfReference, "1:8"));
}

TEST(YamlTree, EveryUseOfAnAliasCountsTowardsTheLimit) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) bomb += std::string(i > 0 ? ", *" : "*") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  EXPECT_EQ(ErrorOf(bomb, {.max_nodes = 100'000, .max_depth = 100}).kind,
            Error::Kind::kTooManyNodes);
}

TEST(YamlTree, NestedAnchorsCountTowardsTheLimit) {
  std::string nested;
  for (int i = 0; i < 50; ++i) nested += "&a" + std::to_string(i) + " [";
  nested += "x" + std::string(50, ']');
  EXPECT_EQ(ErrorOf(nested, {.max_nodes = 1000, .max_depth = 100}).kind,
            Error::Kind::kTooManyNodes);
}

TEST(YamlTree, TheDepthLimitIncludesAliases) {
  EXPECT_TRUE(TreeOf(std::string(10, '[') + std::string(10, ']')).IsList());
  EXPECT_EQ(ErrorOf(std::string(11, '[') + std::string(11, ']')).kind, Error::Kind::kTooDeep);
  EXPECT_EQ(Tell(ErrorOf("a: &a [[[[[[]]]]]]\nb: [[[[*a]]]]\n")), At(Error::Kind::kTooDeep, "2:8"));
  EXPECT_FALSE(std::holds_alternative<Node>(Parse(std::string(100'000, '['), kRoomy)));
}

TEST(YamlTree, TheCallerLimitsTheNumberOfDocuments) {
  EXPECT_EQ(ErrorOf("# nothing\n").kind, Error::Kind::kNoDocument);
  EXPECT_EQ(ErrorOf("a: 1\n---\nb: 2\n").kind, Error::Kind::kManyDocuments);
  Options first = kRoomy;
  first.one_document = false;
  EXPECT_TRUE(TreeOf("# nothing\n", first).IsNull());
  EXPECT_TRUE(TreeOf("a: 1\n---\nb: [\n", first).Find("a"));
}

TEST(YamlTree, ASyntaxErrorHasAPosition) {
  const Error error = ErrorOf("a: 1\n\tb: 2\n");
  EXPECT_EQ(error.kind, Error::Kind::kSyntax);
  EXPECT_EQ(error.line, 2);
  EXPECT_NE(error.text, "");
}

TEST(YamlTree, RepeatedKeysAreKeptUntilTheyAreRemoved) {
  Node root = TreeOf("a: 1\nb:\n  - {c: 1, d: 2, c: 3, c: 4}\n");
  EXPECT_EQ(root.Find("b")->items[0].keys.size(), 4U);
  EXPECT_EQ(root.Find("b")->items[0].Find("c")->text, "1");
  const std::vector<Node> repeated = RemoveRepeatedKeys(root);
  ASSERT_EQ(repeated.size(), 1U);
  EXPECT_EQ(repeated[0].Place(), "3:24");
  const Node& map = root.Find("b")->items[0];
  EXPECT_EQ(map.keys.size(), 2U);
  EXPECT_EQ(map.Find("c")->text, "4");
  EXPECT_EQ(map.Find("d")->text, "2");
}

TEST(YamlTree, EqualKeysOfDifferentMapsAreNotRepeated) {
  Node root = TreeOf("a: {k: 1}\nb: {k: 1, 2: k}\n");
  EXPECT_TRUE(RemoveRepeatedKeys(root).empty());
  EXPECT_EQ(root.Find("b")->keys.size(), 2U);
}

TEST(PlainScalar, IsReadLikeGoYaml) {
  EXPECT_EQ(ReadPlainScalar("yes"), PlainScalar(true));
  EXPECT_EQ(ReadPlainScalar("Off"), PlainScalar(false));
  EXPECT_EQ(ReadPlainScalar("0x1f"), PlainScalar(int64_t{31}));
  EXPECT_EQ(ReadPlainScalar("-0b11"), PlainScalar(int64_t{-3}));
  EXPECT_EQ(ReadPlainScalar("017"), PlainScalar(int64_t{15}));
  EXPECT_EQ(ReadPlainScalar("+1_000"), PlainScalar(int64_t{1000}));
  EXPECT_EQ(ReadPlainScalar("1.5"), PlainScalar(1.5));
  EXPECT_EQ(ReadPlainScalar("1e3"), PlainScalar(int64_t{1000}));
  EXPECT_EQ(ReadPlainScalar("0.0.0.0"), PlainScalar(std::string_view("0.0.0.0")));
  EXPECT_EQ(ReadPlainScalar("-"), PlainScalar(std::string_view("-")));
  EXPECT_EQ(ReadPlainScalar("1e999"), PlainScalar(std::string_view("1e999")));
}

}  // namespace
}  // namespace capstan::yaml
