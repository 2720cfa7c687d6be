#include "apiserver/storage/selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan::testing::server {
namespace {

using ::testing::StartsWith;

const json::Value kLabels =
    json::Value::Object({{"app", "web"}, {"in", "x"}, {"size", "5"}, {"empty", ""}});

struct Case {
  const char* selector;
  bool matches;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.selector; }

class LabelSelectorMatch : public ::testing::TestWithParam<Case> {};

TEST_P(LabelSelectorMatch, FollowsTheApi) {
  const auto selector = LabelSelector::Parse(GetParam().selector);
  ASSERT_TRUE(selector.ok()) << selector.status().message();
  EXPECT_EQ(selector->Matches(kLabels), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    Selectors, LabelSelectorMatch,
    ::testing::Values(Case{"", true}, Case{"app=web", true}, Case{"app==web", true},
                      Case{"app = web , size=5", true}, Case{"app=api", false},
                      Case{"app!=web", false}, Case{"app!=api", true}, Case{"other!=x", true},
                      Case{"app", true}, Case{"other", false}, Case{"!other", true},
                      Case{"!app", false}, Case{"app in (web,api)", true},
                      Case{"app in (api, db)", false}, Case{"app notin (api)", true},
                      Case{"app notin (web)", false}, Case{"other notin (web)", true},
                      Case{"other in (web)", false}, Case{"in in (x)", true}, Case{"in=x", true},
                      Case{"app=in", false}, Case{"empty=", true}, Case{"empty in ()", true},
                      Case{"empty in (,a)", true}, Case{"app in (a,,b)", false},
                      Case{"size>4", true}, Case{"size>5", false}, Case{"size<6", true},
                      Case{"app>1", false}, Case{"other<1", false},
                      Case{"app=web,!other,size in (5)", true}));

TEST(LabelSelector, MatchesAllOnlyWithoutRequirements) {
  EXPECT_TRUE(LabelSelector::Parse("")->MatchesAll());
  EXPECT_TRUE(LabelSelector::Parse("  ")->MatchesAll());
  EXPECT_FALSE(LabelSelector::Parse("a")->MatchesAll());
}

TEST(LabelSelector, MatchesObjectsWithoutLabels) {
  EXPECT_FALSE(LabelSelector::Parse("a")->Matches(json::Value()));
  EXPECT_TRUE(LabelSelector::Parse("!a")->Matches(json::Value()));
}

struct BadSelector {
  const char* name;
  std::string selector;
  std::string message;
};

void PrintTo(const BadSelector& bad, std::ostream* out) { *out << bad.selector; }

class BadLabelSelector : public ::testing::TestWithParam<BadSelector> {};

// The texts are those of kube-apiserver 1.36.
TEST_P(BadLabelSelector, IsABadRequestWithTheMessageOfTheApi) {
  const Status status = LabelSelector::Parse(GetParam().selector).status();
  EXPECT_EQ(status.http_code(), 400);
  EXPECT_THAT(status.message(), StartsWith(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Selectors, BadLabelSelector,
    ::testing::Values(
        BadSelector{"TwoWords", "a b",
                    "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, "
                    "lt"},
        BadSelector{"NoKey", "=a", "found '=', expected: !, identifier, or 'end of string'"},
        BadSelector{"OpenSet", "a in (",
                    "unable to parse requirement: found '', expected: ',', ')' or identifier"},
        BadSelector{"NoSet", "a in b", "unable to parse requirement: found 'b' expected: '('"},
        BadSelector{"SetWithoutCommas", "a in (b c)",
                    "unable to parse requirement: found 'c', expected: ',' or ')'"},
        BadSelector{"CommaAtTheEnd", "a,", "found '', expected: identifier after ','"},
        BadSelector{"TwoCommas", "a,,b", "found ',', expected: identifier after ','"},
        BadSelector{"TextAfterSet", "a in (b) c", "found 'c', expected: ',' or 'end of string'"},
        BadSelector{"OnlyNot", "!", "unable to parse requirement: found '', expected: identifier"},
        BadSelector{"OperatorAsValue", "a==(",
                    "unable to parse requirement: found '(', expected: identifier"},
        BadSelector{"BadKey", "-a",
                    "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must "
                    "consist of alphanumeric characters, '-', '_' or '.'"},
        BadSelector{"BadPrefix", "A_/b",
                    "unable to parse requirement: <nil>: Invalid value: \"A_/b\": prefix part a "
                    "lowercase RFC 1123 subdomain"},
        BadSelector{"EmptyPrefix", "/b",
                    "unable to parse requirement: <nil>: Invalid value: \"/b\": prefix part must "
                    "be non-empty"},
        BadSelector{"TwoSlashes", "a/b/c",
                    "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label "
                    "key must consist of"},
        BadSelector{"LongKey", std::string(64, 'a'),
                    "unable to parse requirement: <nil>: Invalid value: \"" + std::string(64, 'a') +
                        "\": name part must be no more than 63 bytes"},
        BadSelector{"BadValue", "a=-x-",
                    "unable to parse requirement: values[0][a]: Invalid value: \"-x-\": a valid "
                    "label must be an empty string or consist of"},
        BadSelector{"GreaterThanText", "a>b",
                    "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' "
                    "operators, the value must be an integer"}),
    [](const auto& info) { return info.param.name; });

TEST(FieldSelector, SplitsTermsAndOperators) {
  const auto selector = FieldSelector::Parse("metadata.name=a,status.phase!=Running,x==y");
  ASSERT_TRUE(selector.ok());
  ASSERT_EQ(selector->terms().size(), 3U);
  EXPECT_EQ(selector->terms()[0].field, "metadata.name");
  EXPECT_TRUE(selector->terms()[0].equal);
  EXPECT_EQ(selector->terms()[1].value, "Running");
  EXPECT_FALSE(selector->terms()[1].equal);
  EXPECT_EQ(selector->terms()[2].value, "y");
  EXPECT_TRUE(selector->RequiresName("a"));
  EXPECT_FALSE(selector->RequiresName("b"));
}

TEST(FieldSelector, UnescapesValues) {
  const auto selector = FieldSelector::Parse("a=x\\,y\\=z\\\\");
  ASSERT_TRUE(selector.ok());
  ASSERT_EQ(selector->terms().size(), 1U);
  EXPECT_EQ(selector->terms()[0].value, "x,y=z\\");
}

class BadFieldSelector : public ::testing::TestWithParam<BadSelector> {};

TEST_P(BadFieldSelector, IsABadRequestWithTheMessageOfTheApi) {
  const Status status = FieldSelector::Parse(GetParam().selector).status();
  EXPECT_EQ(status.http_code(), 400);
  EXPECT_EQ(status.message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Selectors, BadFieldSelector,
    ::testing::Values(BadSelector{"NoOperator", "foo",
                                  "invalid selector: 'foo'; can't understand 'foo'"},
                      BadSelector{"UnknownEscape", "a=\\b",
                                  "invalid field selector: invalid escape sequence: \\b"},
                      BadSelector{"EscapeAtTheEnd", "a=b\\",
                                  "invalid field selector: invalid escape sequence: \\"},
                      BadSelector{"SecondOperator", "a=b=c",
                                  "invalid field selector: unescaped character in value: 61"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace capstan::testing::server
