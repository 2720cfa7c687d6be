#pragma once

/// Contention: records which code has waited for a capstan::Mutex that another thread held, and how
/// long.
///
/// Threads: all functions may be called from any thread.

#include <string>

#include <capstan/export.h>

namespace capstan {

/// Starts to record waits, by call stack. While recording is off, a wait costs one additional
/// atomic load.
CAPSTAN_EXPORT void EnableContentionProfile();
CAPSTAN_EXPORT bool IsContentionProfiled();
/// Returns all waits so far, in the text format of gperftools' contention profiles, which pprof
/// reads: the wait time in nanoseconds and the number of waits per stack. It distinguishes 4,096
/// stacks. Waits of further stacks are summed under no stack.
CAPSTAN_EXPORT std::string ContentionProfile();

}  // namespace capstan
