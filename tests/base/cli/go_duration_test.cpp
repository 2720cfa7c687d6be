#include "base/cli/go_duration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cli {
namespace {

using namespace std::chrono_literals;

TEST(GoDuration, ParsesGoSyntax) {
  const std::pair<const char*, Duration> cases[] = {
      {"0", 0s},         {"15s", 15s},     {"1m30s", 90s},
      {"500ms", 500ms},  {"1.5h", 90min},  {"-2s", -2s},
      {"+3s", 3s},       {"1us", 1us},     {"1\u00b5s", 1us},
      {"1\u03bcs", 1us}, {"7ns", 7ns},     {".5s", 500ms},
      {"1.s", 1s},       {"12h0m0s", 12h}, {"1h1m1s1ms", 1h + 1min + 1s + 1ms},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(ParseGoDuration(text), expected) << text;
  }
}

TEST(GoDuration, RefusesInvalidText) {
  for (const char* text : {"", "15", "s", ".s", "1x", "1 s", "--1s", "1s1", "9999999h",
                           "99999999999999999999s", "-", "1e3s"}) {
    EXPECT_EQ(ParseGoDuration(text), std::nullopt) << text;
  }
}

TEST(GoDuration, FormatsLikeGo) {
  const std::pair<Duration, const char*> cases[] = {
      {0s, "0s"},
      {15s, "15s"},
      {90s, "1m30s"},
      {500ms, "500ms"},
      {12h, "12h0m0s"},
      {1500us, "1.5ms"},
      {1500ms, "1.5s"},
      {7ns, "7ns"},
      {-2s, "-2s"},
      {60s, "1m0s"},
      {10ms + 1ns, "10.000001ms"},
  };
  for (const auto& [duration, expected] : cases) {
    EXPECT_EQ(FormatGoDuration(duration), expected);
    EXPECT_EQ(ParseGoDuration(expected), duration);
  }
}

}  // namespace
}  // namespace capstan::cli
