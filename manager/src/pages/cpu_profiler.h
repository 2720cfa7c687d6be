#pragma once

/// CpuProfiler: samples where the process spends CPU time, with gperftools' libprofiler. The
/// library is loaded when the first profile is requested. It has no cost before, and need not be
/// installed.
///
/// Threads: one call at a time.

#include <memory>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan::manager {

class CpuProfiler {
 public:
  virtual ~CpuProfiler() = default;
  /// Starts sampling at 100 samples per second of CPU time. NotFound if the library is not
  /// installed; the error names its package.
  virtual Status Start() = 0;
  /// Stops sampling. Returns the profile in gperftools' binary format, which pprof reads.
  virtual Result<std::string> Stop() = 0;
};

std::unique_ptr<CpuProfiler> NewCpuProfiler();

}  // namespace capstan::manager
