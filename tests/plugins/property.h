#pragma once

// Property tests: a property is checked on thousands of random cases. A seed reproduces them on
// every platform. A failing case is shrunk before it is shown.
//
//   TEST(Sorting, KeepsTheLength) {
//     property::Check(5'000, [](property::Choices& choices) -> std::string {
//       const auto numbers = AnyNumbers(choices);
//       return Sorted(numbers).size() == numbers.size() ? "" : "it loses some of " + Text(numbers);
//     });
//   }

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace capstan::property {

// The source of a case: random numbers, or those of a tape followed by zeros. A smaller number must
// stand for a simpler case.
class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed), random_(true) {}
  explicit Choices(std::vector<uint64_t> tape) : tape_(std::move(tape)) {}

  // 0, ..., max
  uint64_t Upto(uint64_t max) {
    if (random_) {
      tape_.push_back(max == UINT64_MAX ? Next() : Next() % (max + 1));
    } else if (used_ == tape_.size()) {
      tape_.push_back(0);
    }
    return tape_[used_++] = std::min(tape_[used_], max);
  }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Upto(static_cast<uint64_t>(high - low)));
  }
  // Shrinks towards false.
  bool Chance(uint64_t percent) { return Upto(99) >= 100 - percent; }
  // Shrinks towards the first item.
  template <class T>
  T Pick(std::initializer_list<T> items) {
    return *(items.begin() + Upto(items.size() - 1));
  }

  // The numbers chosen so far.
  std::vector<uint64_t> Tape() const { return {tape_.begin(), tape_.begin() + Used()}; }

 private:
  ptrdiff_t Used() const { return static_cast<ptrdiff_t>(used_); }
  uint64_t Next() {  // splitmix64
    uint64_t bits = state_ += 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31);
  }

  uint64_t state_ = 0;
  bool random_ = false;
  std::vector<uint64_t> tape_;
  size_t used_ = 0;
};

// Describes the failure and the case made from the choices; "" on success.
using Property = std::function<std::string(Choices&)>;

// Searches for a simpler tape that also breaks the property, by removing parts or lowering numbers.
inline std::vector<uint64_t> Shrunk(const Property& property, std::vector<uint64_t> tape) {
  int tries = 20'000;
  const auto breaks = [&](const std::vector<uint64_t>& candidate) {
    if (--tries < 0) return false;
    Choices choices(candidate);
    if (property(choices).empty()) return false;
    tape = choices.Tape();
    return true;
  };
  for (bool better = true; better && tries > 0;) {
    better = false;
    for (size_t length = std::max<size_t>(1, tape.size() / 2); length > 0; length /= 2) {
      for (size_t at = 0; at + length <= tape.size();) {
        auto shorter = tape;
        const auto begin = shorter.begin() + static_cast<ptrdiff_t>(at);
        shorter.erase(begin, begin + static_cast<ptrdiff_t>(length));
        // A case that reads zeros past the end of the tape does not get shorter.
        if (breaks(shorter) && tape.size() <= shorter.size()) {
          better = true;
        } else {
          at += length;
        }
      }
    }
    for (size_t i = 0; i < tape.size(); ++i) {
      for (uint64_t step = tape[i]; step > 0 && i < tape.size();) {
        auto lower = tape;
        lower[i] = tape[i] - step;
        if (tape[i] >= step && breaks(lower)) {
          better = true;
        } else {
          step /= 2;
        }
      }
    }
  }
  return tape;
}

// The environment variable CAPSTAN_PROPERTY_CASES multiplies the number of cases: 100, or 0.1.
inline void Check(uint64_t cases, const Property& property) {
  const char* factor = std::getenv("CAPSTAN_PROPERTY_CASES");
  if (factor) {
    cases = static_cast<uint64_t>(std::ceil(static_cast<double>(cases) * std::atof(factor)));
  }
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    Choices choices(seed);
    if (property(choices).empty()) continue;
    Choices simplest(Shrunk(property, choices.Tape()));
    ADD_FAILURE() << "seed " << seed << ", made simpler:\n" << property(simplest);
    return;
  }
}

}  // namespace capstan::property
