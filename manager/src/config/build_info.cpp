#include "config/build_info.h"

#include <sys/utsname.h>

#include <string_view>

namespace capstan::manager {
namespace {

constexpr std::string_view kVersion = CAPSTAN_VERSION;

std::string Platform() {
  utsname name{};
  uname(&name);
  const std::string_view machine = name.machine;
  if (machine == "x86_64") return "linux/amd64";
  if (machine == "aarch64") return "linux/arm64";
  return "linux/" + std::string(machine);
}

}  // namespace

BuildInfo ThisBuild() {
  const size_t first = kVersion.find('.');
  const size_t second = kVersion.find('.', first + 1);
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "gcc " __VERSION__;
#endif
  return {.version = std::string(kVersion),
          .major = std::string(kVersion.substr(0, first)),
          .minor = std::string(kVersion.substr(first + 1, second - first - 1)),
          .compiler = compiler,
          .platform = Platform()};
}

void ExportBuildInfo(MetricsRegistry& metrics) {
  const BuildInfo build = ThisBuild();
  metrics
      .NewGauge(
          "capstan_build_info", "Always 1, labeled with the version of this program.",
          {{"version", build.version}, {"compiler", build.compiler}, {"platform", build.platform}})
      .Set(1);
  metrics
      .NewGauge("kubernetes_build_info", "Always 1, labeled with the version of this program.",
                {{"major", build.major},
                 {"minor", build.minor},
                 {"git_version", "v" + build.version},
                 {"git_commit", ""},
                 {"git_tree_state", ""},
                 {"build_date", ""},
                 {"go_version", ""},
                 {"compiler", build.compiler},
                 {"platform", build.platform}})
      .Set(1);
}

}  // namespace capstan::manager
