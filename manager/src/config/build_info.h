#pragma once

/// Which program this is.

#include <string>

#include <capstan/metrics/metrics.h>

namespace capstan::manager {

struct BuildInfo {
  std::string version;   ///< "0.1.0"
  std::string major;     ///< "0"
  std::string minor;     ///< "1"
  std::string compiler;  ///< "gcc 12.2.0"
  std::string platform;  ///< "linux/amd64", as Go names it
};

BuildInfo ThisBuild();

/// capstan_build_info, and the same under Kubernetes' name and labels: kubernetes_build_info, with
/// Capstan's version and without what only Go programs have.
void ExportBuildInfo(MetricsRegistry& metrics);

}  // namespace capstan::manager
