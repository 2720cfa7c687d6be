#pragma once

/// Hash functions whose values are the same in all processes and releases.

#include <cstdint>
#include <string_view>

namespace capstan::internal {

/// The finalizer of splitmix64: every input bit affects every output bit.
inline uint64_t Mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline uint64_t Combine(uint64_t seed, uint64_t value) {
  return Mix(seed * 0x9e3779b97f4a7c15ULL + value + 1);
}

/// FNV-1a, finished by Mix because its high bits are weak.
inline uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return Mix(hash);
}

}  // namespace capstan::internal
