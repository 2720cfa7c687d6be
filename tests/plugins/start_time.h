#pragma once

// The start time of plugin tests.

#include <chrono>
#include <cstdint>

#include <capstan/api/time.h>
#include <capstan/runtime/clock.h>

namespace capstan {

inline constexpr int64_t kStart = 1'800'000'000;

inline WallTime At(int64_t seconds_after_start) {
  return WallTime(std::chrono::seconds(kStart + seconds_after_start));
}
inline api::Time TimeAt(int64_t seconds_after_start) {
  return api::Time::FromSeconds(kStart + seconds_after_start);
}

}  // namespace capstan
