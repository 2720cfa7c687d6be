#include "base/text/percent.h"

#include <gtest/gtest.h>

namespace capstan::text {
namespace {

TEST(Percent, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(PercentEncoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(PercentEncoded("a b/c%+\xc3\xa4"), "a%20b%2Fc%25%2B%C3%A4");
  EXPECT_EQ(PercentEncoded("a/b c", "/"), "a/b%20c");
  EXPECT_EQ(PercentEncoded(std::string_view("\0", 1)), "%00");
}

TEST(Percent, DecodesWhatItEncodes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(PercentDecoded(PercentEncoded(all)), all);
  EXPECT_EQ(PercentDecoded("%c3%A4"), "\xc3\xa4");
}

TEST(Percent, DecodesPlusAsSpaceOnlyInAQuery) {
  EXPECT_EQ(PercentDecoded("a+b"), "a+b");
  EXPECT_EQ(PercentDecoded("a+b", ' '), "a b");
}

TEST(Percent, RefusesIncompleteEscapesWithTheirOffset) {
  for (const char* text : {"ab%", "ab%2", "ab%zz", "ab%2g", "ab%+2"}) {
    size_t fault = 0;
    EXPECT_EQ(PercentDecoded(text, '+', &fault), std::nullopt) << text;
    EXPECT_EQ(fault, 2u) << text;
  }
}

}  // namespace
}  // namespace capstan::text
