#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/format.h>

#ifndef CAPSTAN_VERSION
#define CAPSTAN_VERSION "0.0.0"
#endif
#ifndef CAPSTAN_COMMIT
#define CAPSTAN_COMMIT "unknown"
#endif

namespace capstan {
namespace {

std::string ExecutableName() {
  std::array<char, 4096> buffer;
  const ssize_t size = readlink("/proc/self/exe", buffer.data(), buffer.size());
  if (size <= 0) return "capstan";
  const std::string_view path(buffer.data(), static_cast<size_t>(size));
  return std::string(path.substr(path.rfind('/') + 1));
}

// The architecture as Go names it, which is usual in the logs and metrics of servers.
std::string Architecture() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  std::string machine = name.machine;
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return machine;
}

}  // namespace

std::string DefaultUserAgent(std::string_view component) {
  static const std::string executable = ExecutableName();
  static const std::string architecture = Architecture();
  return Format("{}/v{} (linux/{}) capstan/{}", component.empty() ? executable : component,
                CAPSTAN_VERSION, architecture, CAPSTAN_COMMIT);
}

}  // namespace capstan
