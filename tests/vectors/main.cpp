// capstan-vectors: recorded syncs of the reference controllers, replayed with Capstan's.

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "differential/known_differences.h"
#include "run.h"
#include "support/paths.h"

namespace {

using capstan::vectors::RunOptions;

constexpr char kUsage[] =
    "usage: capstan-vectors [--controller NAME] [--id N] [--every N] [--all] [-v]\n"
    "\n"
    "  --controller NAME  replay only deployment, or only replicaset\n"
    "  --id N             only the line with this id\n"
    "  --every N          only the lines whose id N divides\n"
    "  --all              print every disagreement, not only the first 20\n"
    "  -v                 print all differences of a disagreement, not only the first\n"
    "\n"
    "The environment variable CAPSTAN_VECTORS selects another folder of vectors.\n";

int64_t NumberOf(std::string_view name, std::string_view value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) {
    throw std::invalid_argument(std::string(name) + ": must be a number");
  }
  return number;
}

RunOptions ParseOptions(int argc, char** argv) {
  RunOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--all") {
      options.all = true;
      continue;
    }
    if (name == "-v") {
      options.verbose = true;
      continue;
    }
    std::string_view value;
    if (const size_t equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    }
    if (name == "--controller" && (value == "deployment" || value == "replicaset")) {
      options.controller = value;
    } else if (name == "--id" && !value.empty()) {
      options.id = NumberOf(name, value);
    } else if (name == "--every" && !value.empty()) {
      options.every = NumberOf(name, value);
      if (options.every < 1) throw std::invalid_argument("--every: must be a positive number");
    } else {
      throw std::invalid_argument("unknown option " + std::string(argv[i]));
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path own = capstan::tests::TestFolder() / "vectors";
  try {
    RunOptions options = ParseOptions(argc, argv);
    const char* folder = std::getenv("CAPSTAN_VECTORS");
    options.is_own = !folder || !*folder;
    options.folder = options.is_own ? own : std::filesystem::path(folder);
    capstan::differential::KnownDifferences known(own / "differences.txt");
    return capstan::vectors::Run(options, known, std::cout) ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::cerr << "capstan-vectors: " << error.what() << "\n" << kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "capstan-vectors: " << error.what() << "\n";
    return 2;
  }
}
