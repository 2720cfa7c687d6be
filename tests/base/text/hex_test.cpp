#include "base/text/hex.h"

#include <gtest/gtest.h>

namespace capstan::text {
namespace {

TEST(Hex, WritesTwoDigitsAByte) {
  EXPECT_EQ(Hexadecimal(std::string_view("\x00\x7f\xff", 3)), "007fff");
}

TEST(Hex, WritesTheLowestDigits) {
  std::string text = "0x";
  AppendHex(text, 0xabcdef, 4);
  EXPECT_EQ(text, "0xcdef");
}

TEST(Hex, ReadsDigitsOfBothCases) {
  EXPECT_EQ(HexValue('0'), 0);
  EXPECT_EQ(HexValue('f'), 15);
  EXPECT_EQ(HexValue('A'), 10);
  for (const char c : {'g', 'G', '/', ':', '@', '`', '\0', '\xff'}) EXPECT_EQ(HexValue(c), -1) << c;
}

}  // namespace
}  // namespace capstan::text
