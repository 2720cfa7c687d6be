#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::differential {

// Random choices that are the same for a seed on every platform.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}

  size_t Below(size_t bound) { return static_cast<size_t>(engine_() % bound); }
  bool Percent(size_t percent) { return Below(100) < percent; }
  std::string Of(std::initializer_list<std::string_view> choices) {
    return std::string(choices.begin()[Below(choices.size())]);
  }
  template <class T>
  const T& Of(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace capstan::differential
