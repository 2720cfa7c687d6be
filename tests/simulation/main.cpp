// capstan-simulate: random histories of a cluster with Capstan's controllers. Each must converge
// without breaking a rule. The seed determines a history, so a failure can be replayed.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/fake/in_process_manager.h"
#include "simulation.h"

namespace {

using capstan::simulation::History;
using capstan::simulation::Simulate;

constexpr char kUsage[] =
    "usage: capstan-simulate [--histories N] [--seed S] [--jobs J] [--trace]\n"
    "\n"
    "  --histories N  number of histories (1000); their seeds are S, S+1, ...\n"
    "  --seed S       the first seed (1)\n"
    "  --jobs J       processes that share the work (1)\n"
    "  --trace        print the events of each history\n";
constexpr uint64_t kMostFailures = 3;

struct Arguments {
  uint64_t histories = 1000;
  uint64_t seed = 1;
  uint64_t jobs = 1;
  bool trace = false;
};

bool Parse(int argc, char** argv, Arguments& arguments) {
  const std::map<std::string_view, uint64_t*> numbers{{"--histories", &arguments.histories},
                                                      {"--seed", &arguments.seed},
                                                      {"--jobs", &arguments.jobs}};
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (name == "--trace") {
      arguments.trace = true;
      continue;
    }
    std::string_view value;
    if (const size_t equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    }
    const auto number = numbers.find(name);
    if (number == numbers.end()) return false;
    const char* end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, *number->second);
    if (value.empty() || parsed.ec != std::errc() || parsed.ptr != end) return false;
  }
  return arguments.jobs > 0;
}

// Shared by the processes.
struct Tally {
  std::atomic<uint64_t> next = 0;  // of the histories
  std::atomic<uint64_t> done = 0;
  std::atomic<uint64_t> failures = 0;
  std::atomic<uint64_t> requests = 0;
  std::atomic<uint64_t> faults = 0;
  std::atomic<uint64_t> checks = 0;
};

void Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string TextOf(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

void PrintFailure(uint64_t seed, const History& history) {
  // Runs it again with a trace. The seed determines everything.
  Print("seed " + std::to_string(seed) + " fails: " + history.failure + "\n" +
        TextOf(history.trace.empty() ? Simulate(seed, true).trace : history.trace) + "seed " +
        std::to_string(seed) + " fails: " + history.failure +
        "\nreplay: capstan-simulate --histories 1 --trace --seed " + std::to_string(seed) + "\n");
}

// Runs histories one after the other. `current` is the seed of the current one.
void Work(const Arguments& arguments, Tally& tally, std::atomic<uint64_t>& current) {
  while (tally.failures < kMostFailures) {
    const uint64_t number = tally.next++;
    if (number >= arguments.histories) return;
    current = arguments.seed + number;
    const History history = Simulate(current, arguments.trace);
    ++tally.done;
    tally.requests += history.requests;
    tally.faults += history.faults;
    tally.checks += history.checks;
    if (!history.failure.empty()) {
      ++tally.failures;
      PrintFailure(current, history);
    } else if (arguments.trace) {
      Print("seed " + std::to_string(current) + ":\n" + TextOf(history.trace));
    }
  }
}

int Run(const Arguments& arguments) {
  capstan::scenarios::BundledPlugins();  // once, for all processes
  const size_t size = sizeof(Tally) + arguments.jobs * sizeof(std::atomic<uint64_t>);
  void* shared = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto& tally = *new (shared) Tally;
  auto* current =
      new (static_cast<char*>(shared) + sizeof(Tally)) std::atomic<uint64_t>[arguments.jobs];

  const auto begin = std::chrono::steady_clock::now();
  std::map<pid_t, uint64_t> workers;
  for (uint64_t job = 0; job < arguments.jobs; ++job) {
    const pid_t pid = fork();
    if (pid == 0) {
      Work(arguments, tally, current[job]);
      std::fflush(stdout);
      _exit(0);
    }
    if (pid > 0) workers[pid] = job;
  }
  bool crashed = workers.empty();
  for (int status = 0; !workers.empty();) {
    const pid_t pid = wait(&status);
    if (pid < 0) break;
    const uint64_t job = workers[pid];
    workers.erase(pid);
    if (status == 0) continue;
    crashed = true;
    const std::string seed = std::to_string(current[job]);
    Print("seed " + seed + " ends the process\nreplay: capstan-simulate --histories 1 --seed " +
          seed + "\n");
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf(
      "%llu of %llu histories, seeds from %llu: %llu failed; %llu requests, %llu faults, "
      "%llu checks of rules; %.1f s\n",
      static_cast<unsigned long long>(tally.done),
      static_cast<unsigned long long>(arguments.histories),
      static_cast<unsigned long long>(arguments.seed),
      static_cast<unsigned long long>(tally.failures),
      static_cast<unsigned long long>(tally.requests),
      static_cast<unsigned long long>(tally.faults), static_cast<unsigned long long>(tally.checks),
      seconds.count());
  return !crashed && tally.failures == 0 && tally.done == arguments.histories ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    return Run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "capstan-simulate: %s\n", error.what());
    return 1;
  }
}
