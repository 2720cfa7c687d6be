#include "apiserver/validation/resource_requirements.h"

#include <gtest/gtest.h>

namespace capstan::testing::server {
namespace {

TEST(Quantities, AreComparedByValue) {
  EXPECT_EQ(CompareQuantities("1", "1000m"), 0);
  EXPECT_EQ(CompareQuantities("0", "0m"), 0);
  EXPECT_EQ(CompareQuantities("-0", "0"), 0);
  EXPECT_LT(CompareQuantities("999m", "1"), 0);
  EXPECT_GT(CompareQuantities("1Gi", "1G"), 0);
  EXPECT_GT(CompareQuantities("1.5", "1"), 0);
  EXPECT_LT(CompareQuantities("-2", "-1"), 0);
  EXPECT_LT(CompareQuantities("-1", "0"), 0);
  EXPECT_GT(CompareQuantities("1e3", "999"), 0);
  EXPECT_LT(CompareQuantities("9", "10"), 0);
}

TEST(Quantities, AreWholeNumbersWithoutAFraction) {
  EXPECT_TRUE(IsWholeQuantity("1"));
  EXPECT_TRUE(IsWholeQuantity("1000m"));
  EXPECT_TRUE(IsWholeQuantity("1Ki"));
  EXPECT_TRUE(IsWholeQuantity("0"));
  EXPECT_FALSE(IsWholeQuantity("1500m"));
  EXPECT_FALSE(IsWholeQuantity("0.1"));
}

}  // namespace
}  // namespace capstan::testing::server
