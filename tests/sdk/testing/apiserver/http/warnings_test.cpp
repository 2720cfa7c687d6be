#include "apiserver/http/warnings.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(WarningHeaders, ContainEachTextOnce) {
  Warnings warnings;
  warnings.Add("again");
  warnings.Add({"again", "", "more"});
  EXPECT_THAT(warnings.HeaderValues(), ElementsAre(R"(299 - "again")", R"(299 - "more")"));
}

TEST(WarningHeaders, EscapeQuotes) {
  Warnings warnings;
  warnings.Add(R"(a "b" \c)");
  EXPECT_THAT(warnings.HeaderValues(), ElementsAre(R"(299 - "a \"b\" \\c")"));
}

TEST(WarningHeaders, ContainNoControlCharacters) {
  Warnings warnings;
  for (const char* text : {"a\nb", "a\x7f", "a\xc2\x85", "a\t"}) warnings.Add(text);
  EXPECT_THAT(warnings.HeaderValues(), IsEmpty());
  warnings.Add("\xc3\xa4");
  EXPECT_THAT(warnings.HeaderValues(), SizeIs(1));
}

TEST(WarningHeaders, AreTruncatedAtTheTotalLimit) {
  Warnings warnings;
  for (int i = 10; i < 60; ++i) {
    std::string text = std::to_string(i);
    for (int j = 0; j < 298; ++j) text += "\xc3\xa4";
    warnings.Add(std::move(text));
  }
  const auto values = warnings.HeaderValues();
  ASSERT_THAT(values, SizeIs(16));
  constexpr size_t kFrame = 8;
  EXPECT_EQ(values[0].size(), kFrame + 2 + 254 * 2);
  EXPECT_THAT(values[15], EndsWith("\xa4\""));
}

class WarningsOfErrors : public WriteTest {};

TEST_F(WarningsOfErrors, IncludeUnknownFieldsOfInvalidObjects) {
  const Answer answer = Create("configmaps", R"({"metadata":{"name":"A"},"dta":{}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.warnings, ElementsAre(R"(unknown field "dta")"));
}

TEST_F(WarningsOfErrors, AreSentWithAnAlreadyExistsError) {
  const std::string pod = R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c",)"
                          R"("image":"i","env":[{"name":"A"},{"name":"A"}]}]}})";
  ASSERT_EQ(Create("pods", pod).code, 201);
  const Answer again = Create("pods", pod);
  EXPECT_EQ(again.code, 409);
  EXPECT_THAT(again.warnings, ElementsAre(HasSubstr("hides previous definition")));
}

TEST_F(WarningsOfErrors, AreOmittedForAnInvalidObject) {
  const Answer answer = Create("pods", R"({"metadata":{"name":"P"},"spec":{"containers":[{)"
                                       R"("name":"c","image":"i","env":[{"name":"A"},)"
                                       R"({"name":"A"}]}]}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.warnings, IsEmpty());
}

TEST_F(WarningsOfErrors, IncludeUnknownFieldsOfAnotherVersion) {
  const Answer answer =
      Create("events.events.k8s.io", R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},)"
                                     R"("odd":1})");
  EXPECT_EQ(answer.code, 400);
  EXPECT_THAT(answer.warnings, ElementsAre(R"(unknown field "odd")"));
}

TEST_F(WarningsOfErrors, AreSentForAPatchThatMakesAnObjectInvalid) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  const Answer answer = Merge("configmaps", "a", R"({"odd":1,"data":{"a b":"c"}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.warnings, ElementsAre(R"(unknown field "odd")"));
}

TEST_F(WarningsOfErrors, AreSentForAnUpdateOfAMissingObject) {
  const Answer answer = Send({.verb = "update",
                              .resource = "configmaps",
                              .name = "a",
                              .body = R"({"metadata":{"name":"a"},"odd":1})"});
  EXPECT_EQ(answer.code, 404);
  EXPECT_THAT(answer.warnings, ElementsAre(R"(unknown field "odd")"));
}

class WarningsOfYaml : public WriteTest {
 protected:
  Answer Apply(const std::string& configuration, const std::string& options = {}) {
    return Send({.verb = "apply",
                 .resource = "configmaps",
                 .name = "a",
                 .body = configuration,
                 .query = "fieldManager=me" + options,
                 .content_type = "application/apply-patch+yaml"});
  }
  static constexpr char kTwice[] =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
      "data:\n  a: '1'\n  a: '2'\n  b: '1'\n  b: '2'\n";
};

TEST_F(WarningsOfYaml, ReportEachLineSeparately) {
  const Answer answer = Apply(kTwice);
  EXPECT_EQ(answer.code, 201);
  EXPECT_THAT(answer.warnings, ElementsAre(R"(line 7: key "a" already set in map)",
                                           R"(line 9: key "b" already set in map)"));
}

TEST_F(WarningsOfYaml, AreErrorsWhereValidationIsStrict) {
  const Answer answer = Apply(kTwice, "&fieldValidation=Strict");
  EXPECT_EQ(answer.code, 400);
  EXPECT_EQ(answer.message(),
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
            "  line 7: key \"a\" already set in map\n  line 9: key \"b\" already set in map");
}

TEST_F(WarningsOfYaml, AreOmittedWithoutFieldValidation) {
  EXPECT_THAT(Apply(kTwice, "&fieldValidation=Ignore").warnings, IsEmpty());
}

TEST_F(WarningsOfYaml, AreOmittedForConflicts) {
  ASSERT_EQ(Apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '9'}").code,
            201);
  const Answer answer = Send({.verb = "apply",
                              .resource = "configmaps",
                              .name = "a",
                              .body = kTwice,
                              .query = "fieldManager=you",
                              .content_type = "application/apply-patch+yaml"});
  EXPECT_EQ(answer.code, 409);
  EXPECT_THAT(answer.warnings, IsEmpty());
}

}  // namespace
}  // namespace capstan::testing::server
