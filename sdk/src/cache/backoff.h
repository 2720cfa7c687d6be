#pragma once

/// Backoff: the delay after the n-th consecutive failure. (client-go's reflector backoff manager)

#include <chrono>
#include <optional>

#include <capstan/runtime/runtime.h>

namespace capstan {

class Backoff {
 public:
  explicit Backoff(Runtime& runtime) : runtime_(runtime) {}

  /// The next delay, jittered.
  Duration Next();

 private:
  static constexpr Duration kFirst = std::chrono::milliseconds(800);
  static constexpr Duration kLongest = std::chrono::seconds(30);
  static constexpr Duration kForgetAfter = std::chrono::minutes(2);
  static constexpr double kJitter = 1.0;

  Runtime& runtime_;
  Duration next_ = kFirst;
  std::optional<MonotonicTime> last_;
};

}  // namespace capstan
