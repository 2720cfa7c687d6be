#pragma once

/// Time and MicroTime: meta/v1 Time (RFC 3339, whole seconds) and MicroTime (microseconds), in 8
/// bytes. The zero value means "absent".

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::api {

namespace internal {
inline constexpr int64_t kAbsentTime = std::numeric_limits<int64_t>::min();
}

/// Seconds since the epoch.
class CAPSTAN_EXPORT Time {
 public:
  constexpr Time() = default;
  /// Rounds down to the second, as the API does.
  explicit Time(WallTime time);
  static constexpr Time FromSeconds(int64_t seconds) {
    Time time;
    time.seconds_ = seconds;
    return time;
  }
  static Result<Time> Parse(std::string_view rfc3339);

  constexpr bool IsZero() const { return seconds_ == internal::kAbsentTime; }
  constexpr explicit operator bool() const { return !IsZero(); }
  constexpr int64_t seconds() const { return seconds_; }
  WallTime ToWallTime() const;
  std::string ToString() const;  ///< "2026-11-21T02:46:54Z", or "" when absent
  friend constexpr auto operator<=>(const Time&, const Time&) = default;  // NOLINT

 private:
  int64_t seconds_ = internal::kAbsentTime;
};

/// Microseconds since the epoch.
class CAPSTAN_EXPORT MicroTime {
 public:
  constexpr MicroTime() = default;
  explicit MicroTime(WallTime time);
  static constexpr MicroTime FromMicroseconds(int64_t micros) {
    MicroTime time;
    time.micros_ = micros;
    return time;
  }
  static Result<MicroTime> Parse(std::string_view rfc3339);

  constexpr bool IsZero() const { return micros_ == internal::kAbsentTime; }
  constexpr explicit operator bool() const { return !IsZero(); }
  constexpr int64_t microseconds() const { return micros_; }
  WallTime ToWallTime() const;
  std::string ToString() const;  ///< "2026-11-21T02:46:54.000000Z", or "" when absent
  friend constexpr auto operator<=>(const MicroTime&, const MicroTime&) = default;  // NOLINT

 private:
  int64_t micros_ = internal::kAbsentTime;
};

CAPSTAN_EXPORT void AppendText(std::string& out, const Time& time);
CAPSTAN_EXPORT void AppendText(std::string& out, const MicroTime& time);

}  // namespace capstan::api
