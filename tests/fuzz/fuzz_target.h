#pragma once

// CAPSTAN_FUZZ_TARGET(name) { ... `input` ... } defines a libFuzzer target. With CAPSTAN_REPLAY it
// registers the target instead, so that one program can run all targets on their corpora.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace capstan::fuzz {

using Target = void (*)(std::string_view input);

// By name.
std::map<std::string, Target>& Targets();
struct Registration {
  Registration(const char* name, Target target) { Targets()[name] = target; }
};

// A condition that must hold for every input.
inline void Require(bool condition, std::string_view what) {
  if (condition) return;
  std::cerr << "violated: " << what << std::endl;
  std::abort();
}

// The parts of the input before and after the first line "---".
inline std::pair<std::string_view, std::string_view> InTwo(std::string_view input) {
  constexpr std::string_view kBorder = "\n---\n";
  const size_t border = input.find(kBorder);
  if (border == std::string_view::npos) return {input, {}};
  return {input.substr(0, border), input.substr(border + kBorder.size())};
}

}  // namespace capstan::fuzz

#ifdef CAPSTAN_REPLAY
#define CAPSTAN_FUZZ_TARGET(name)                                                   \
  static void Fuzz_##name(std::string_view input);                                  \
  static const capstan::fuzz::Registration registration_##name(#name, Fuzz_##name); \
  static void Fuzz_##name(std::string_view input)
#else
#define CAPSTAN_FUZZ_TARGET(name)                                             \
  static void Fuzz_##name(std::string_view input);                            \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {   \
    Fuzz_##name(std::string_view(reinterpret_cast<const char*>(data), size)); \
    return 0;                                                                 \
  }                                                                           \
  static void Fuzz_##name(std::string_view input)
#endif
