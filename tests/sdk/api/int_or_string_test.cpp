#include <capstan/api/int_or_string.h>

#include <gtest/gtest.h>

#include <limits>

namespace capstan::api {
namespace {

int64_t Scaled(const IntOrString& value, int64_t total, bool round_up) {
  const auto scaled = value.Scaled(total, round_up);
  EXPECT_TRUE(scaled.ok()) << value.ToString();
  return scaled.ok() ? *scaled : -1;
}

TEST(IntOrString, AnIntegerIsUsedUnchanged) {
  EXPECT_EQ(Scaled(3, 10, true), 3);
  EXPECT_EQ(Scaled(-1, 10, false), -1);
}

TEST(IntOrString, APercentageIsRoundedUpOrDownAsRequested) {
  EXPECT_EQ(Scaled("25%", 10, true), 3);
  EXPECT_EQ(Scaled("25%", 10, false), 2);
  EXPECT_EQ(Scaled("100%", 7, true), 7);
  EXPECT_EQ(Scaled("0%", 7, true), 0);
  EXPECT_EQ(Scaled("+50%", 4, true), 2);
  EXPECT_EQ(Scaled("-25%", 10, true), -2);
  EXPECT_EQ(Scaled("-25%", 10, false), -3);
  EXPECT_EQ(Scaled("25%", 0, true), 0);
}

TEST(IntOrString, OtherTextIsAnErrorThatQuotesIt) {
  for (const char* text :
       {"", "25", "%", "a%", "25%%", "2.5%", "+-5%", "25 %", "99999999999999999999%"}) {
    const auto scaled = IntOrString(text).Scaled(10, true);
    ASSERT_FALSE(scaled.ok()) << text;
    EXPECT_NE(scaled.status().message().find("\"" + std::string(text) + "\""), std::string::npos);
  }
  EXPECT_FALSE(IntOrString("3000%").Scaled(std::numeric_limits<int64_t>::max(), true).ok());
}

TEST(IntOrString, ComparesByKindAndValue) {
  EXPECT_EQ(IntOrString(5), IntOrString(5));
  EXPECT_NE(IntOrString(5), IntOrString("5"));
  EXPECT_EQ(IntOrString("5%").ToString(), "5%");
  EXPECT_EQ(IntOrString(5).ToString(), "5");
}

}  // namespace
}  // namespace capstan::api
