#include "metrics/process_metrics.h"

#include <unistd.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/io/whole_file.h"

namespace capstan {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

void Append(std::vector<MetricFamily>& families, MetricType type, const char* name,
            const char* help, double value) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  prometheus::ClientMetric metric;
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  family.metric.push_back(metric);
  families.push_back(std::move(family));
}

std::string ReadFile(const char* path) {
  auto text = io::ReadWholeFile(path);
  return text ? *std::move(text) : "";
}

// The number after `label` on the first line that starts with `label`; nullopt if there is none.
std::optional<double> NumberAfter(const std::string& text, std::string_view label) {
  size_t at = 0;
  while (at < text.size()) {
    if (text.compare(at, label.size(), label) == 0) {
      std::istringstream rest(text.substr(at + label.size()));
      double value = 0;
      return rest >> value ? std::optional(value) : std::nullopt;
    }
    const size_t end = text.find('\n', at);
    at = end == text.npos ? text.size() : end + 1;
  }
  return std::nullopt;
}

// Fields of /proc/self/stat, with their numbers in proc(5).
struct Stat {
  double user_ticks = 0;      // 14
  double system_ticks = 0;    // 15
  double threads = 0;         // 20
  double start_ticks = 0;     // 22
  double virtual_bytes = 0;   // 23
  double resident_pages = 0;  // 24
};

std::optional<Stat> ReadStat() {
  const std::string text = ReadFile("/proc/self/stat");
  // The second field is the name in parentheses and may contain any character.
  const size_t name_end = text.rfind(')');
  if (name_end == text.npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::string state;
  rest >> state;
  constexpr int kFirst = 4;
  constexpr int kLast = 24;
  double fields[kLast + 1] = {};
  for (int i = kFirst; i <= kLast; ++i) {
    if (!(rest >> fields[i])) return std::nullopt;
  }
  return Stat{fields[14], fields[15], fields[20], fields[22], fields[23], fields[24]};
}

void AppendStat(std::vector<MetricFamily>& families) {
  const std::optional<Stat> stat = ReadStat();
  if (!stat) return;
  const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  Append(families, MetricType::Counter, "process_cpu_seconds_total",
         "Total user and system CPU time spent in seconds.",
         (stat->user_ticks + stat->system_ticks) / ticks_a_second);
  Append(families, MetricType::Gauge, "process_resident_memory_bytes",
         "Resident memory size in bytes.",
         stat->resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  Append(families, MetricType::Gauge, "process_virtual_memory_bytes",
         "Virtual memory size in bytes.", stat->virtual_bytes);
  Append(families, MetricType::Gauge, "process_threads", "Number of OS threads in the process.",
         stat->threads);
  if (const auto boot = NumberAfter(ReadFile("/proc/stat"), "btime ")) {
    Append(families, MetricType::Gauge, "process_start_time_seconds",
           "Start time of the process since unix epoch in seconds.",
           *boot + stat->start_ticks / ticks_a_second);
  }
}

void AppendFileDescriptors(std::vector<MetricFamily>& families) {
  std::error_code error;
  double open = -1;  // the directory itself is open during the read
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    ++open;
  }
  if (!error) {
    Append(families, MetricType::Gauge, "process_open_fds", "Number of open file descriptors.",
           open);
  }
  if (const auto most = NumberAfter(ReadFile("/proc/self/limits"), "Max open files")) {
    Append(families, MetricType::Gauge, "process_max_fds",
           "Maximum number of open file descriptors.", *most);
  }
}

}  // namespace

void AppendProcessMetrics(std::vector<MetricFamily>& families) try {
  AppendStat(families);
  AppendFileDescriptors(families);
} catch (const std::exception&) {
  // The other metrics are still returned.
}

}  // namespace capstan
