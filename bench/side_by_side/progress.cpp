#include "bench/side_by_side/progress.h"

#include <chrono>
#include <cstdio>

namespace capstan::bench {

void Say(const std::string& what) {
  static const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "%6.0f s  %s\n", elapsed.count(), what.c_str());
}

void Say(const std::string& scenario, ManagerKind kind, const std::string& what) {
  Say(scenario + ", " + NameOf(kind) + ": " + what);
}

}  // namespace capstan::bench
