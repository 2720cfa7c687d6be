#include "base/text/ascii.h"

#include <gtest/gtest.h>

#include <string_view>

namespace capstan::text {
namespace {

TEST(Ascii, EqualIgnoringCaseFoldsLettersOnly) {
  EXPECT_TRUE(EqualIgnoringCase("Content-Type", "cONTENT-tYPE"));
  EXPECT_FALSE(EqualIgnoringCase("Content-Type", "Content-Typ"));
  // These characters differ only in the bit that separates upper and lower case.
  EXPECT_FALSE(EqualIgnoringCase("Content\rType", "Content-Type"));
  EXPECT_FALSE(EqualIgnoringCase("[", "{"));
  EXPECT_FALSE(EqualIgnoringCase("@", "`"));
  EXPECT_FALSE(EqualIgnoringCase("\xc4", "\xe4"));
}

TEST(Ascii, TrimmedRemovesBlanksAtTheEndsOnly) {
  EXPECT_EQ(Trimmed(" \r\n a b\t"), "a b");
  EXPECT_EQ(Trimmed(" \t\n"), "");
  EXPECT_EQ(Trimmed(""), "");
  EXPECT_EQ(Trimmed("\ta ", " "), "\ta");
}

TEST(Ascii, TakeDigitsStopsBeforeTheFirstOtherCharacter) {
  std::string_view text = "12.5";
  EXPECT_EQ(TakeDigits(text), "12");
  EXPECT_EQ(text, ".5");
  EXPECT_EQ(TakeDigits(text), "");
  EXPECT_EQ(text, ".5");
  text.remove_prefix(1);
  EXPECT_EQ(TakeDigits(text), "5");
  EXPECT_EQ(text, "");
}

TEST(Ascii, AlphanumericAreAsciiLettersAndDigitsOnly) {
  for (const char c : {'a', 'z', 'A', 'Z', '0', '9'}) EXPECT_TRUE(IsAlphanumeric(c)) << c;
  for (const char c : {'@', '[', '`', '{', '/', ':', '\0', '\xe4'}) {
    EXPECT_FALSE(IsAlphanumeric(c)) << c;
  }
}

}  // namespace
}  // namespace capstan::text
