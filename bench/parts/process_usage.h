#pragma once

/// What a process uses, as the kernel counts it. All functions throw std::runtime_error when the
/// process does not exist.
///
/// Threads: all functions may be called from any thread.

#include <sys/types.h>

#include <cstdint>

namespace capstan::bench {

/// In MiB.
struct MemoryUse {
  double resident = 0;
  double proportional = 0;  ///< shared pages are divided among the processes that map them
  double private_dirty = 0;
  double peak = 0;  ///< the highest `resident` so far
};
MemoryUse MemoryOf(pid_t pid);

/// User and system time in seconds, of all threads that the process has or had.
double CpuSecondsOf(pid_t pid);

/// How often the present threads of the process have waited and were woken (voluntary context
/// switches).
uint64_t WakeUpsOf(pid_t pid);

}  // namespace capstan::bench
