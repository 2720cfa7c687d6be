#include <capstan/api/raw_json_memo.h>

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/object.h>

namespace capstan {
namespace {

using api::apps::v1::ReplicaSet;

std::atomic<int> computed = 0;

std::string NameIn(const RawJson& part) {
  ++computed;
  return part.StringAt("/name").value_or("none");
}

RawJson Named(const std::string& name) {
  return RawJson::Parse(R"({"name":")" + name + R"("})").value();
}

TEST(RawJsonMemo, ComputesOnceForTheCopiesOfAPart) {
  computed = 0;
  RawJsonMemo<std::string> names(NameIn);
  const RawJson a = Named("a");
  const RawJson copy = a;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(names.Of(a), "a");
  EXPECT_EQ(names.Of(copy), "a");
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(names.Of(Named("b")), "b");
  EXPECT_EQ(names.Of(RawJson()), "none");
}

TEST(RawJsonMemo, IsRightForMoreThanItRemembers) {
  RawJsonMemo<std::string> names(NameIn);
  std::vector<RawJson> parts;
  for (int i = 0; i < 5000; ++i) parts.push_back(Named(std::to_string(i)));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5000; ++i) {
      EXPECT_EQ(names.Of(parts[static_cast<size_t>(i)]), std::to_string(i));
    }
  }
}

std::string SetJson(const std::string& status, const std::string& image) {
  const std::string note(300, 'x');
  return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"a"},"spec":{"template":)"
         R"({"metadata":{"annotations":{"note":")" +
         note + R"("}},"spec":{"containers":[{"name":"c","image":")" + image +
         R"("}]}}},"status":{"replicas":)" + status + "}}";
}

ReplicaSet Decoded(const std::string& json) {
  ReplicaSet set;
  EXPECT_TRUE(DecodeJson(DescriptorOf<ReplicaSet>(), json, &set).ok());
  return set;
}

TEST(DecodedParts, AreSharedByObjectsThatDifferElsewhere) {
  const ReplicaSet before = Decoded(SetJson("1", "a"));
  const ReplicaSet after = Decoded(SetJson("2", "a"));
  const ReplicaSet other = Decoded(SetJson("2", "b"));
  EXPECT_TRUE(before.spec.template_.SharesTextWith(after.spec.template_));
  EXPECT_FALSE(before.spec.template_.SharesTextWith(other.spec.template_));
  EXPECT_EQ(other.spec.template_.StringAt("/spec/containers/0/image"), "b");
}

TEST(DecodedParts, AreTheSameWhateverWasDecodedBefore) {
  for (int i = 0; i < 3000; ++i) {
    const std::string image = "example.com/image:" + std::to_string(i);
    EXPECT_EQ(Decoded(SetJson("1", image)).spec.template_.StringAt("/spec/containers/0/image"),
              image);
  }
}

TEST(SemanticDigest, IsEqualExactlyForEqualMeanings) {
  const auto digest = [](const std::string& json) {
    return RawJson::Parse(json).value().SemanticDigest();
  };
  const std::string one = digest(R"({"labels":{},"spec":{"cpu":1},"limits":{"cpu":"500m"}})");
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(one, digest(R"({"limits":{"cpu":"0.5"},"spec":{"cpu":1},"args":[]})"));
  EXPECT_NE(one, digest(R"({"limits":{"cpu":"0.5"},"spec":{"cpu":2}})"));
  EXPECT_EQ(RawJson().SemanticDigest(), digest("[]"));
}

}  // namespace
}  // namespace capstan
