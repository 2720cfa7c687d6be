#pragma once

/// /debug/pprof/: profiles of this process, below the paths that Go programs have, for `pprof`.
///
///   profile?seconds=N   where time is spent; 30 seconds, at most 300 (cpu_profiler.h)
///   heap                what is on the heap (heap_profile.h)
///   cmdline, symbol     what pprof asks for besides
///   block               who has waited for locks (capstan/runtime/contention.h)
///
/// A CPU profile holds a thread of the server's while it is taken; there is one at a time, and 429
/// for the others. 501 says what is missing: `block` unless contention is profiled, `mutex` always,
/// as nobody keeps who held a lock.

#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

#include "base/http/mux.h"
#include "pages/cpu_profiler.h"

namespace capstan::manager {

/// `runtime` is borrowed. `stop` ends a profile early.
void AddProfilingPages(http::Mux& mux, Runtime& runtime, const std::stop_token& stop,
                       std::unique_ptr<CpuProfiler> profiler = NewCpuProfiler());

}  // namespace capstan::manager
