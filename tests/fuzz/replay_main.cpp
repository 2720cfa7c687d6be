// Runs each target on the inputs of its corpus: for compilers without libFuzzer, and as a
// regression test. Usage: fuzz_replay CORPUS [TARGET].

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz_target.h"

namespace capstan::fuzz {

std::map<std::string, Target>& Targets() {
  static std::map<std::string, Target> targets;
  return targets;
}

namespace {

std::string ContentOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns the number of inputs.
size_t Replay(Target target, const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    // After a crash, the last name in the log is the input that caused it.
    std::cerr << file.string() << std::endl;
    target(ContentOf(file));
  }
  return files.size();
}

}  // namespace
}  // namespace capstan::fuzz

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: fuzz_replay CORPUS [TARGET]\n";
    return 2;
  }
  int failed = 0;
  for (const auto& [name, target] : capstan::fuzz::Targets()) {
    if (argc > 2 && name != argv[2]) continue;
    const size_t count = capstan::fuzz::Replay(target, std::filesystem::path(argv[1]) / name);
    std::cout << name << ": " << count << " inputs\n";
    if (count == 0) failed = 1;
  }
  if (failed != 0) std::cerr << "a target without a corpus\n";
  return failed;
}
