#include "bench/parts/process_usage.h"

#include <ctime>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace capstan::bench {
namespace {

std::string FolderOf(pid_t pid) { return "/proc/" + std::to_string(pid); }

// The number of the line "NAME:   NUMBER ..." of `path`, or -1.
double NumberIn(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::atof(line.c_str() + name.size() + 1);
  }
  return -1;
}

double MebibytesIn(const std::string& path, const std::string& name) {
  const double kibibytes = NumberIn(path, name);
  if (kibibytes < 0) throw std::runtime_error("there is no " + name + " in " + path);
  return kibibytes / 1024;
}

}  // namespace

MemoryUse MemoryOf(pid_t pid) {
  const std::string rollup = FolderOf(pid) + "/smaps_rollup";
  return {.resident = MebibytesIn(rollup, "Rss"),
          .proportional = MebibytesIn(rollup, "Pss"),
          .private_dirty = MebibytesIn(rollup, "Private_Dirty"),
          .peak = MebibytesIn(FolderOf(pid) + "/status", "VmHWM")};
}

double CpuSecondsOf(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    throw std::runtime_error("there is no CPU time of process " + std::to_string(pid));
  }
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

uint64_t WakeUpsOf(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator tasks(FolderOf(pid) + "/task", error);
  if (error) throw std::runtime_error("there is no process " + std::to_string(pid));
  uint64_t sum = 0;
  for (const auto& task : tasks) {
    const double count = NumberIn(task.path() / "status", "voluntary_ctxt_switches");
    if (count > 0) sum += static_cast<uint64_t>(count);  // else the thread has just ended
  }
  return sum;
}

}  // namespace capstan::bench
