#pragma once

/// CpuProfiler: where the process spends its time. gperftools' libprofiler does it; it is loaded
/// when a profile is first asked for, so that it costs nothing before, and need not be installed.
///
/// Threads: one call at a time.

#include <memory>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan::manager {

class CpuProfiler {
 public:
  virtual ~CpuProfiler() = default;
  /// Begins to take 100 samples for each second that the threads compute. NotFound when the library
  /// is not there; the error names its package.
  virtual Status Start() = 0;
  /// Ends it; the profile in the binary format of gperftools, which pprof reads.
  virtual Result<std::string> Stop() = 0;
};

std::unique_ptr<CpuProfiler> NewCpuProfiler();

}  // namespace capstan::manager
