// Measures kube-controller-manager and Capstan side by side; docs/performance.md says how each
// figure comes about.
//
//   side_by_side [--quick] [--json FILE] [--svg FILE] [OPTION...] [SCENARIO...]

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/side_by_side/options.h"
#include "bench/side_by_side/progress.h"
#include "bench/side_by_side/report.h"
#include "bench/side_by_side/scenarios.h"
#include "e2e/process.h"

namespace capstan::bench {
namespace {

// The first line that a program prints for --version.
std::string VersionOf(ManagerKind kind) {
  const std::string output =
      e2e::RunCommand({CommandOf(kind).front(), "--version"}, "", std::chrono::seconds(10)).output;
  return output.substr(0, output.find('\n'));
}

// The text after `key` in a file of /proc.
std::string ProcText(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

Facts FactsOf(const std::vector<std::string>& arguments) {
  utsname system{};
  uname(&system);
  std::string command = "side_by_side";
  for (const std::string& argument : arguments) command += " " + argument;
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return {{"command", command},
          {"date", date},
          {"kcm", VersionOf(ManagerKind::kKcm)},
          {"capstan", VersionOf(ManagerKind::kCapstan)},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"processor", ProcText("/proc/cpuinfo", "model name")},
          {"memory", ProcText("/proc/meminfo", "MemTotal")},
          {"kernel", system.release},
          {"load before", ProcText("/proc/loadavg", "")}};
}

// Returns whether the file has been written.
bool WriteReport(const std::string& path, const std::string& text) {
  if (path.empty()) return true;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "side_by_side: cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

std::string CaptionOf(const Facts& facts) {
  const auto fact = [&](std::string_view name) {
    const auto at = std::find_if(facts.begin(), facts.end(),
                                 [&](const auto& entry) { return entry.first == name; });
    return at == facts.end() ? std::string() : at->second;
  };
  const bool is_quick = fact("command").find("--quick") != std::string::npos;
  return std::string("./dev bench side_by_side") + (is_quick ? " --quick" : "") + ", " +
         fact("cores") + " cores, a real kube-apiserver; " + fact("kcm") +
         " with the Deployment and ReplicaSet controllers alone";
}

// Returns whether the scenario could be measured.
bool RunScenario(const Scenario& scenario, const Options& options, Report& report) {
  const size_t before = report.sections().size();
  bool succeeded = true;
  try {
    scenario.run(options, report);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "side_by_side: %s: %s\n", scenario.name.c_str(), error.what());
    succeeded = false;
  }
  for (size_t i = before; i < report.sections().size(); ++i)
    std::printf("%s\n", report.SectionText(i).c_str());
  std::fflush(stdout);
  return succeeded;
}

int Run(const std::vector<std::string>& arguments) {
  bool help = false;
  const auto options = ParseOptions(arguments, help);
  if (!options) {
    std::fprintf(stderr, "side_by_side: %s\n", options.status().message().c_str());
    return 2;
  }
  if (help) {
    std::fputs(Usage().c_str(), stdout);
    return 0;
  }
  if (!ServersAreThere("side_by_side")) return 0;
  const Facts facts = FactsOf(arguments);
  for (const auto& [name, value] : facts) std::printf("%-12s %s\n", name.c_str(), value.c_str());
  std::printf("\n");
  Report report;
  bool succeeded = true;
  for (const Scenario& scenario : Scenarios()) {
    const auto& wanted = options->scenarios;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), scenario.name) == wanted.end())
      continue;
    if (!RunScenario(scenario, *options, report)) succeeded = false;
  }
  Say("finished");
  if (!WriteReport(options->json, ReportJson(report, facts))) succeeded = false;
  if (!WriteReport(options->svg, ReportPicture(report, CaptionOf(facts)))) succeeded = false;
  return succeeded ? 0 : 1;
}

}  // namespace
}  // namespace capstan::bench

int main(int argc, char** argv) {
  return capstan::bench::Run(std::vector<std::string>(argv + 1, argv + argc));
}
