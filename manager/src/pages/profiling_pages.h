#pragma once

/// /debug/pprof/: profiles of this process for `pprof`, at the paths that Go programs use.
///
///   profile?seconds=N   CPU profile; default 30 seconds, at most 300 (cpu_profiler.h)
///   heap                heap profile (heap_profile.h)
///   cmdline, symbol     requested by pprof
///   block               lock contention (capstan/runtime/contention.h)
///
/// A CPU profile occupies a server thread while it is taken. Only one can be taken at a time; other
/// requests get 429. 501 names what is missing: for `block` unless contention profiling is enabled,
/// and always for `mutex`, since lock holders are not recorded.

#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

#include "base/http/mux.h"
#include "pages/cpu_profiler.h"

namespace capstan::manager {

/// `runtime` is borrowed. `stop` ends a running profile early.
void AddProfilingPages(http::Mux& mux, Runtime& runtime, const std::stop_token& stop,
                       std::unique_ptr<CpuProfiler> profiler = NewCpuProfiler());

}  // namespace capstan::manager
