#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::simulation {

// Random choices that are the same for a seed on every platform.
class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}

  // One of 0, ..., sides - 1.
  int Roll(int sides) { return static_cast<int>(random_() % static_cast<uint64_t>(sides)); }
  int Between(int low, int high) { return low + Roll(high - low + 1); }
  bool Chance(int percent) { return Roll(100) < percent; }
  template <class T>
  const T& Pick(const std::vector<T>& items) {
    return items[static_cast<size_t>(Roll(static_cast<int>(items.size())))];
  }
  Duration UpTo(Duration longest) {
    return Duration(
        static_cast<Duration::rep>(random_() % static_cast<uint64_t>(longest.count() + 1)));
  }
  uint64_t Seed() { return random_(); }

 private:
  std::mt19937_64 random_;
};

}  // namespace capstan::simulation
