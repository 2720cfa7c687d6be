#include <capstan/api/raw_json.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace capstan {
namespace {

using ::testing::HasSubstr;

RawJson Raw(std::string_view text) {
  auto raw = RawJson::Parse(text);
  EXPECT_TRUE(raw.ok()) << text << ": " << raw.status().ToString();
  return raw.ok() ? *raw : RawJson();
}

std::string ParseError(std::string_view text) {
  const auto raw = RawJson::Parse(text);
  EXPECT_FALSE(raw.ok()) << text.substr(0, 100);
  EXPECT_EQ(raw.status().reason(), StatusReason::kMalformed);
  return raw.status().message();
}

TEST(RawJson, StoresCanonicalText) {
  EXPECT_EQ(Raw(R"( { "b" : [ 1 , 2.50 , -3e2 ] , "a" : { "d" : null, "c" : "x" } } )").text(),
            R"({"a":{"c":"x","d":null},"b":[1,2.50,-3e2]})");
  EXPECT_EQ(Raw(R"("a\u0041\n\/\u00e9\u0001")").text(), "\"aA\\n/\u00e9\\u0001\"");
  EXPECT_EQ(Raw("12345678901234567890123").text(), "12345678901234567890123");
  EXPECT_EQ(Raw(R"({"a":1,"b":2,"a":3})").text(), R"({"a":3,"b":2})");
}

TEST(RawJson, IsAbsentByDefaultAndForNull) {
  EXPECT_TRUE(RawJson().empty());
  EXPECT_EQ(RawJson().text(), "");
  EXPECT_TRUE(Raw("null").empty());
}

TEST(RawJson, RefusesInvalidJsonWithTheOffset) {
  EXPECT_THAT(ParseError(R"({"a":1,})"), HasSubstr("at byte 7"));
  EXPECT_THAT(ParseError("{} x"), HasSubstr("at byte 3"));
  EXPECT_THAT(ParseError(std::string_view("{}\0{}", 5)), HasSubstr("at byte 2"));
  EXPECT_THAT(ParseError("{\"a\":\"\xff\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(ParseError("{\"a\":\"\xff\"}"), HasSubstr("at byte 8"));
  EXPECT_THAT(ParseError("{\"\xc0\x80\":1}"), HasSubstr("UTF-8"));
  for (const char* text : {"", " ", "{", "[1", "\"", "nul", "01", "1.", "+1", "{a:1}", "'a'",
                           "[1,]", "\"\\x\"", "\"\\ud800\"", "1e999", "NaN", "// c\n1"}) {
    ParseError(text);
  }
}

TEST(RawJson, RefusesTooDeepNesting) {
  EXPECT_THAT(ParseError(std::string(200000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(ParseError(std::string(200000, '[') + std::string(200000, ']')),
              HasSubstr("nested deeper"));
  EXPECT_FALSE(Raw(std::string(900, '[') + std::string(900, ']')).empty());
}

TEST(RawJson, ReadsMembersByPointer) {
  const RawJson raw =
      Raw(R"({"metadata":{"labels":{"a/b":"1","c~d":"2","n":3}},"list":[{"x":1},5]})");
  EXPECT_EQ(raw.At("/list/0/x").text(), "1");
  EXPECT_EQ(raw.At("/list/1").text(), "5");
  EXPECT_TRUE(raw.At("/list/2").empty());
  EXPECT_TRUE(raw.At("/list/-").empty());
  EXPECT_TRUE(raw.At("/nothing/here").empty());
  EXPECT_TRUE(raw.At("list").empty());
  EXPECT_EQ(raw.At(""), raw);
  EXPECT_EQ(raw.StringAt("/metadata/labels/a~1b"), "1");
  EXPECT_EQ(raw.StringAt("/metadata/labels/c~0d"), "2");
  EXPECT_EQ(raw.StringAt("/metadata/labels/n"), std::nullopt);
  EXPECT_EQ(raw.StringMapAt("/metadata/labels"), (StringMap{{"a/b", "1"}, {"c~d", "2"}}));
  EXPECT_TRUE(raw.StringMapAt("/list").empty());
  EXPECT_TRUE(RawJson().At("/a").empty());
}

TEST(RawJson, SetsMembersInACopy) {
  const RawJson raw = Raw(R"({"b":{"x":1},"list":[1,2]})");
  EXPECT_EQ(raw.With("/b/y", RawJson::String("z\"")).text(),
            R"({"b":{"x":1,"y":"z\""},"list":[1,2]})");
  EXPECT_EQ(raw.With("/a/deep~1er/way", RawJson::Int(-5)).text(),
            R"({"a":{"deep/er":{"way":-5}},"b":{"x":1},"list":[1,2]})");
  EXPECT_EQ(raw.With("/list/1", RawJson::Int(7)).text(), R"({"b":{"x":1},"list":[1,7]})");
  EXPECT_EQ(raw.With("/list/-", RawJson::Int(7)).text(), R"({"b":{"x":1},"list":[1,2,7]})");
  EXPECT_EQ(raw.With("/b", RawJson::Object({{"k", "v"}})).text(),
            R"({"b":{"k":"v"},"list":[1,2]})");
  EXPECT_EQ(RawJson().With("/a/b", RawJson::Int(1)).text(), R"({"a":{"b":1}})");
  EXPECT_EQ(raw.With("", RawJson::Int(1)).text(), "1");
  EXPECT_EQ(raw.text(), R"({"b":{"x":1},"list":[1,2]})");
}

TEST(RawJson, DoesNotSetThroughAMemberThatIsNotAnObject) {
  const RawJson raw = Raw(R"({"a":"text","list":[1]})");
  EXPECT_EQ(raw.With("/a/b", RawJson::Int(1)), raw);
  EXPECT_EQ(raw.With("/list/5", RawJson::Int(1)), raw);
  EXPECT_EQ(raw.With("no-slash", RawJson::Int(1)), raw);
  EXPECT_EQ(raw.Without("/b/c"), raw);
}

TEST(RawJson, RemovesMembersInACopy) {
  const RawJson raw = Raw(R"({"a":{"x":1,"y":2},"list":[1,2,3]})");
  EXPECT_EQ(raw.Without("/a/x").text(), R"({"a":{"y":2},"list":[1,2,3]})");
  EXPECT_EQ(raw.Without("/list/1").text(), R"({"a":{"x":1,"y":2},"list":[1,3]})");
  EXPECT_EQ(raw.With("/a", RawJson()).text(), R"({"list":[1,2,3]})");
  EXPECT_TRUE(raw.Without("").empty());
}

TEST(RawJson, CopiesKeepTheirTextWhenTheOriginalChanges) {
  RawJson a = Raw(R"({"a":1})");
  RawJson b = a;
  a = RawJson::Int(2);
  EXPECT_EQ(b.text(), R"({"a":1})");
  auto& alias = b;
  b = std::move(alias);
  EXPECT_EQ(b.text(), R"({"a":1})");
}

// --- Semantic equality ---

void ExpectSame(std::string_view a, std::string_view b) {
  EXPECT_TRUE(SemanticallyEqual(Raw(a), Raw(b))) << a << " and " << b;
  EXPECT_EQ(Raw(a).SemanticHash(), Raw(b).SemanticHash()) << a << " and " << b;
}

void ExpectDifferent(std::string_view a, std::string_view b) {
  EXPECT_FALSE(SemanticallyEqual(Raw(a), Raw(b))) << a << " and " << b;
  EXPECT_NE(Raw(a).SemanticHash(), Raw(b).SemanticHash()) << a << " and " << b;
}

TEST(SemanticJson, NullEmptyListAndAbsentAreEqual) {
  ExpectSame(R"({"a":null})", "{}");
  ExpectSame(R"({"a":[]})", "{}");
  ExpectSame(R"({"spec":{"a":{"b":null}}})", R"({"spec":{"a":{}}})");
  ExpectSame("null", "[]");
  EXPECT_TRUE(SemanticallyEqual(RawJson(), Raw("[]")));
  EXPECT_EQ(RawJson().SemanticHash(), Raw("[]").SemanticHash());
  ExpectDifferent(R"({"a":0})", "{}");
  ExpectDifferent(R"({"a":""})", "{}");
  ExpectDifferent(R"({"a":false})", "{}");
}

TEST(SemanticJson, AnEmptyObjectEqualsAbsentOnlyWherePresenceHasNoMeaning) {
  ExpectSame(R"({"metadata":{"labels":{},"annotations":{},"creationTimestamp":null}})", "{}");
  ExpectSame(R"({"spec":{"nodeSelector":{},"overhead":{}}})", "{}");
  ExpectSame(R"({"spec":{"containers":[{"name":"a","resources":{"limits":{}}}]}})",
             R"({"spec":{"containers":[{"name":"a"}]}})");
  ExpectDifferent(R"({"spec":{"volumes":[{"name":"a","emptyDir":{}}]}})",
                  R"({"spec":{"volumes":[{"name":"a"}]}})");
  ExpectDifferent(R"({"spec":{"securityContext":{}}})", "{}");
  ExpectDifferent(R"({"spec":{"affinity":{"podAffinity":{}}}})", R"({"spec":{"affinity":{}}})");
  ExpectDifferent(R"({"labelSelector":{}})", "{}");
  ExpectDifferent(R"({"spec":{"resources":{}}})", "{}");
}

TEST(SemanticJson, AnEmptyListElementIsKept) {
  ExpectDifferent(R"({"a":[{}]})", R"({"a":[]})");
  ExpectDifferent(R"({"a":[{},1]})", R"({"a":[1]})");
  ExpectDifferent(R"({"a":[null]})", R"({"a":[{}]})");
  ExpectDifferent(R"({"a":[1,2]})", R"({"a":[2,1]})");
}

std::string Limits(std::string_view quantity) {
  return R"({"spec":{"containers":[{"resources":{"limits":{"cpu":)" + std::string(quantity) +
         "}}}]}}";
}

TEST(SemanticJson, QuantitiesCompareByValue) {
  const char* const kEqual[][2] = {
      {R"("500m")", R"("0.5")"},     {R"("1")", "1"},
      {R"("1000m")", "1.0"},         {R"("1Ki")", R"("1024")"},
      {R"("1Gi")", R"("1024Mi")"},   {R"("1e3")", R"("1k")"},
      {R"("1E3")", R"("1k")"},       {R"("1E")", R"("1e18")"},
      {R"("0.5Gi")", R"("512Mi")"},  {R"("+5")", R"("5")"},
      {R"("5.")", R"("5")"},         {R"(".5")", R"("500m")"},
      {R"("0")", R"("0Gi")"},        {R"("-0")", R"("0")"},
      {R"("1n")", R"("0.000001m")"}, {R"("2Ei")", R"("2305843009213693952")"},
      {R"("100u")", R"("0.1m")"},    {R"("1M")", R"("1e6")"},
      {R"("3T")", R"("3000G")"},     {R"("1Pi")", R"("1024Ti")"},
  };
  for (const auto& [a, b] : kEqual) ExpectSame(Limits(a), Limits(b));
  const char* const kDifferent[][2] = {
      {R"("1Ki")", R"("1k")"},
      {R"("1")", R"("-1")"},
      {R"("1m")", R"("1M")"},
      {R"("1")", R"("1x")"},
      {R"("1x")", R"("1.0x")"},
      {R"("")", R"("0")"},
      {R"("1Gi")", R"("1.0000000000000000001Gi")"},
      {R"("1e5")", R"("1e+6")"},
      {R"("1e")", R"("1")"},
      {R"("1e99999")", R"("10e99998")"},
  };
  for (const auto& [a, b] : kDifferent) ExpectDifferent(Limits(a), Limits(b));
}

TEST(SemanticJson, RecognizesQuantityFields) {
  ExpectSame(R"({"emptyDir":{"sizeLimit":"1Gi"}})", R"({"emptyDir":{"sizeLimit":"1024Mi"}})");
  ExpectSame(R"({"resourceFieldRef":{"divisor":"1"}})",
             R"({"resourceFieldRef":{"divisor":"1000m"}})");
  ExpectSame(R"({"overhead":{"cpu":"1"}})", R"({"overhead":{"cpu":"1000m"}})");
  ExpectSame(R"({"requests":{"storage":"1Gi"}})", R"({"requests":{"storage":"1024Mi"}})");
  ExpectDifferent(R"({"image":"1"})", R"({"image":"1.0"})");
  ExpectDifferent(R"({"env":[{"name":"A","value":"1"}]})",
                  R"({"env":[{"name":"A","value":"1.0"}]})");
  // A label or annotation with the name of a rule is data.
  ExpectDifferent(R"({"metadata":{"labels":{"divisor":"1"}}})",
                  R"({"metadata":{"labels":{"divisor":"1.0"}}})");
  ExpectDifferent(R"({"metadata":{"annotations":{"storage":"1Gi"}}})",
                  R"({"metadata":{"annotations":{"storage":"1024Mi"}}})");
}

TEST(SemanticJson, NumbersCompareByValue) {
  ExpectSame(R"({"a":1})", R"({"a":1.0})");
  ExpectSame(R"({"a":100})", R"({"a":1e2})");
  ExpectDifferent(R"({"a":1})", R"({"a":"1"})");
  ExpectDifferent(R"({"a":9007199254740993})", R"({"a":9007199254740992})");
}

TEST(SemanticJson, HashesAreStableBetweenReleases) {
  EXPECT_EQ(
      Raw(R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"nginx:1.27",)"
          R"("name":"web","resources":{"limits":{"cpu":"500m"}}}]}})")
          .SemanticHash(),
      UINT64_C(16273310084285459243));
}

}  // namespace
}  // namespace capstan
