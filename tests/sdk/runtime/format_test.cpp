#include <capstan/runtime/format.h>

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan {
namespace {

TEST(Format, FormatsEveryArgumentType) {
  EXPECT_EQ(Format("{} {} {} {} {}", "web", 3, uint64_t{18446744073709551615U}, true, 0.5),
            "web 3 18446744073709551615 true 0.5");
}

TEST(Format, ShowsAnAbsentOptionalAsNull) {
  EXPECT_EQ(Format("{} {}", std::optional<int>(), std::optional<int>(7)), "null 7");
}

TEST(Format, SupportsTypesWithAppendText) {
  EXPECT_EQ(Format("failed: {}", Status(StatusReason::kNotFound, "no pod")),
            "failed: NotFound: no pod");
}

TEST(Format, ObeysFormatSpecifications) { EXPECT_EQ(Format("{:>4}|{:.1f}", 7, 2.25), "   7|2.2"); }

TEST(Format, AMismatchedFormatIsShownWithTheReason) {
  const std::string text = Format("{} of {}", 1);
  EXPECT_EQ(text.rfind("{} of {} (format error: ", 0), 0U) << text;
  EXPECT_NE(Format("{", 1).find("format error"), std::string::npos);
}

}  // namespace
}  // namespace capstan
