#include <capstan/api/meta_v1.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace capstan {
namespace {

using ::testing::HasSubstr;

Selector Parsed(const char* text) {
  auto selector = Selector::Parse(text);
  EXPECT_TRUE(selector.ok()) << text << ": " << selector.status().ToString();
  return selector.ok() ? *selector : Selector();
}

api::LabelSelector Expression(const char* key, const char* op, List<InternedString> values) {
  api::LabelSelector selector;
  selector.matchExpressions.push_back({key, op, std::move(values)});
  return selector;
}

TEST(Selector, MatchesNothingByDefault) {
  EXPECT_FALSE(Selector().Matches({}));
  EXPECT_FALSE(Selector().Matches({{"a", "b"}}));
  EXPECT_FALSE(Selector().IsEverything());
}

TEST(Selector, WithoutRequirementsMatchesEverything) {
  EXPECT_TRUE(Selector::Everything().Matches({{"a", "b"}}));
  EXPECT_TRUE(Parsed("").IsEverything());
  EXPECT_TRUE(Parsed("  ").IsEverything());
  EXPECT_TRUE(Selector::From({})->IsEverything());
}

TEST(Selector, AllMatchLabelsMustBePresent) {
  const auto selector = Selector::From({{{"app", "web"}, {"tier", "front"}}, {}});
  ASSERT_TRUE(selector.ok());
  EXPECT_TRUE(selector->Matches({{"app", "web"}, {"tier", "front"}, {"x", "y"}}));
  EXPECT_FALSE(selector->Matches({{"app", "web"}}));
  EXPECT_FALSE(selector->Matches({{"app", "api"}, {"tier", "front"}}));
  EXPECT_EQ(selector->ToString(), "app=web,tier=front");
}

TEST(Selector, SupportsTheOperatorsOfMatchExpressions) {
  const StringMap web{{"app", "web"}};
  const StringMap api{{"app", "api"}};
  const StringMap none;
  const auto matches = [](const char* op, List<InternedString> values, const StringMap& labels) {
    return Selector::From(Expression("app", op, std::move(values)))->Matches(labels);
  };
  EXPECT_TRUE(matches("In", {"web", "db"}, web));
  EXPECT_FALSE(matches("In", {"web", "db"}, api));
  EXPECT_FALSE(matches("In", {"web", "db"}, none));
  EXPECT_FALSE(matches("NotIn", {"web", "db"}, web));
  EXPECT_TRUE(matches("NotIn", {"web", "db"}, api));
  EXPECT_TRUE(matches("NotIn", {"web", "db"}, none));
  EXPECT_TRUE(matches("Exists", {}, web));
  EXPECT_FALSE(matches("Exists", {}, none));
  EXPECT_FALSE(matches("DoesNotExist", {}, web));
  EXPECT_TRUE(matches("DoesNotExist", {}, none));
}

TEST(Selector, NamesTheInvalidRequirement) {
  const auto error = [](const api::LabelSelector& selector) {
    const auto made = Selector::From(selector);
    EXPECT_FALSE(made.ok());
    return made.status().message();
  };
  EXPECT_THAT(error(Expression("app", "in", {"a"})), HasSubstr("\"app\": \"in\" is not one of In"));
  EXPECT_THAT(error(Expression("app", "In", {})), HasSubstr("\"app\": In and NotIn need values"));
  EXPECT_THAT(error(Expression("app", "Exists", {"a"})), HasSubstr("take no values"));
  EXPECT_THAT(error(Expression("-app", "Exists", {})),
              HasSubstr("\"-app\" is not a valid label key"));
  EXPECT_THAT(error({{{"app", "no spaces"}}, {}}),
              HasSubstr("\"no spaces\" is not a valid label value"));
}

TEST(Selector, ParsesTheTextForm) {
  EXPECT_TRUE(Parsed("app=web").Matches({{"app", "web"}}));
  EXPECT_TRUE(Parsed("app == web").Matches({{"app", "web"}}));
  EXPECT_FALSE(Parsed("app!=web").Matches({{"app", "web"}}));
  EXPECT_TRUE(Parsed("app!=web").Matches({}));
  EXPECT_TRUE(Parsed("app in (web, api),!canary").Matches({{"app", "api"}}));
  EXPECT_FALSE(Parsed("app in (web, api),!canary").Matches({{"app", "api"}, {"canary", "1"}}));
  EXPECT_TRUE(Parsed("app notin (web)").Matches({}));
  EXPECT_TRUE(Parsed("app").Matches({{"app", ""}}));
  EXPECT_TRUE(Parsed("app=").Matches({{"app", ""}}));
  EXPECT_TRUE(Parsed("app in (a,)").Matches({{"app", ""}}));
  EXPECT_TRUE(Parsed("app=,x").Matches({{"app", ""}, {"x", "1"}}));
  EXPECT_TRUE(Parsed("example.com/app=web").Matches({{"example.com/app", "web"}}));
  EXPECT_TRUE(Parsed("in in (in)").Matches({{"in", "in"}}));
}

TEST(Selector, ComparesIntegers) {
  EXPECT_TRUE(Parsed("size>3").Matches({{"size", "4"}}));
  EXPECT_FALSE(Parsed("size>3").Matches({{"size", "3"}}));
  EXPECT_TRUE(Parsed("size < 3").Matches({{"size", "2"}}));
  EXPECT_FALSE(Parsed("size<3").Matches({{"size", "small"}}));
  EXPECT_FALSE(Parsed("size<3").Matches({}));
}

TEST(Selector, RefusesInvalidText) {
  for (const char* text : {",",
                           "a,",
                           ",a",
                           "a=b=c",
                           "a in",
                           "a in (",
                           "a in (b",
                           "a in b",
                           "a=(b)",
                           "!a=b",
                           "!",
                           "=b",
                           "a b",
                           "a in (b))",
                           "a>b",
                           "a>",
                           "a!b",
                           "a/b/c=d",
                           "UPPER.example/a=b",
                           "a=-b",
                           "a in ()x"}) {
    const auto selector = Selector::Parse(text);
    EXPECT_FALSE(selector.ok()) << text;
    EXPECT_THAT(selector.status().message(), HasSubstr("label selector"));
  }
  EXPECT_FALSE(Selector::Parse(std::string(64, 'a')).ok());
  EXPECT_TRUE(Selector::Parse(std::string(63, 'a')).ok());
}

TEST(Selector, PrintedTextParsesToTheSameSelector) {
  for (const char* text : {"", "a", "!a", "a=b", "a!=b", "a=", "a in (b,c)", "a notin (b,c)", "a>1",
                           "a<1,b", "a,b=c,d in (,x)"}) {
    EXPECT_EQ(Parsed(text).ToString(), text);
  }
  EXPECT_EQ(Parsed("b in (z, y), a == x").ToString(), "a=x,b in (y,z)");
}

TEST(ControllerOf, FindsTheReferenceMarkedController) {
  api::ObjectMeta metadata;
  EXPECT_EQ(api::ControllerOf(metadata), nullptr);
  metadata.ownerReferences.push_back(api::OwnerReference{"v1", "A", "a", "uid-a", {}, {}});
  metadata.ownerReferences.push_back(api::OwnerReference{"v1", "B", "b", "uid-b", false, {}});
  EXPECT_EQ(api::ControllerOf(metadata), nullptr);
  metadata.ownerReferences.push_back(api::OwnerReference{"v1", "C", "c", "uid-c", true, {}});
  ASSERT_NE(api::ControllerOf(metadata), nullptr);
  EXPECT_EQ(api::ControllerOf(metadata)->name, "c");
  EXPECT_TRUE(api::IsControlledBy(metadata, "uid-c"));
  EXPECT_FALSE(api::IsControlledBy(metadata, "uid-a"));
}

TEST(NamespacedName, PrintsAsNamespaceSlashName) {
  EXPECT_EQ((NamespacedName{"default", "web"}.ToString()), "default/web");
  EXPECT_EQ((NamespacedName{"", "node-1"}.ToString()), "node-1");
}

}  // namespace
}  // namespace capstan
