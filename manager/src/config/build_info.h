#pragma once

/// Version and build information of this program.

#include <string>

#include <capstan/metrics/metrics.h>

namespace capstan::manager {

struct BuildInfo {
  std::string version;   ///< "0.1.0"
  std::string major;     ///< "0"
  std::string minor;     ///< "1"
  std::string compiler;  ///< "gcc 12.2.0"
  std::string platform;  ///< in Go's notation: "linux/amd64"
};

BuildInfo ThisBuild();

/// Exports capstan_build_info, and kubernetes_build_info with the labels that Kubernetes components
/// use. The latter has Capstan's version and omits values that only Go programs have.
void ExportBuildInfo(MetricsRegistry& metrics);

}  // namespace capstan::manager
