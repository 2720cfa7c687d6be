#include "base/text/ascii.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace capstan::text
