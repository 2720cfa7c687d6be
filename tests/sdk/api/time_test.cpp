#include <capstan/api/time.h>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace capstan::api {
namespace {

int64_t Seconds(const char* text) {
  const auto time = Time::Parse(text);
  EXPECT_TRUE(time.ok()) << text << ": " << time.status().ToString();
  return time.ok() ? time->seconds() : -1;
}

TEST(Time, IsAbsentByDefault) {
  EXPECT_TRUE(Time().IsZero());
  EXPECT_FALSE(Time());
  EXPECT_EQ(Time().ToString(), "");
  EXPECT_TRUE(Time::FromSeconds(0));
}

TEST(Time, ReadsRfc3339) {
  EXPECT_EQ(Seconds("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(Seconds("2026-11-21T02:46:54Z"), 1795229214);
  EXPECT_EQ(Seconds("2000-02-29T12:00:00Z"), 951825600);
  EXPECT_EQ(Seconds("1969-12-31T23:59:59Z"), -1);
  EXPECT_EQ(Seconds("0001-01-01T00:00:00Z"), -62135596800);
}

TEST(Time, ConvertsTheZoneToUtc) {
  EXPECT_EQ(Seconds("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(Seconds("1969-12-31T18:30:00-05:30"), 0);
}

TEST(Time, RoundsDownToTheSecond) {
  EXPECT_EQ(Seconds("1970-01-01T00:00:01.999999999Z"), 1);
  EXPECT_EQ(Seconds("1969-12-31T23:59:59.5Z"), -1);
  EXPECT_EQ(Time(WallTime(std::chrono::milliseconds(-500))).seconds(), -1);
  EXPECT_EQ(Time(WallTime(std::chrono::milliseconds(1500))).seconds(), 1);
}

TEST(Time, RefusesOtherText) {
  for (const char* text :
       {"", "now", "2026-11-21", "2026-11-21T02:46:54", "2026-11-21 02:46:54Z",
        "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+0200", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zz",
        "+026-01-01T00:00:00Z", "2026-1-01T00:00:00Z"}) {
    const auto time = Time::Parse(text);
    EXPECT_FALSE(time.ok()) << text;
    EXPECT_NE(time.status().message().find("RFC 3339"), std::string::npos);
  }
  EXPECT_LT(Time::Parse(std::string(100000, '2')).status().message().size(), 200u);
}

TEST(Time, PrintsTheTextThatItParsed) {
  for (const char* text : {"2026-11-21T02:46:54Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z", "2024-02-29T00:00:00Z"}) {
    EXPECT_EQ(Time::FromSeconds(Seconds(text)).ToString(), text);
  }
}

TEST(Time, ConvertsToWallTimeAndBack) {
  const Time time = Time::FromSeconds(1795229214);
  EXPECT_EQ(Time(time.ToWallTime()), time);
  EXPECT_EQ(Time::FromSeconds(-62135596800).ToWallTime(), WallTime::min());
}

TEST(MicroTime, KeepsMicroseconds) {
  const auto time = MicroTime::Parse("2026-11-21T02:46:54.123456789Z");
  ASSERT_TRUE(time.ok());
  EXPECT_EQ(time->microseconds(), 1795229214123456);
  EXPECT_EQ(time->ToString(), "2026-11-21T02:46:54.123456Z");
  EXPECT_EQ(MicroTime(time->ToWallTime()), *time);
  EXPECT_EQ(MicroTime::FromMicroseconds(-1).ToString(), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(MicroTime::FromMicroseconds(0).ToString(), "1970-01-01T00:00:00.000000Z");
  EXPECT_TRUE(MicroTime().IsZero());
  EXPECT_EQ(MicroTime().ToString(), "");
}

}  // namespace
}  // namespace capstan::api
