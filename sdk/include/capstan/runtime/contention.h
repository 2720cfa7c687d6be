#pragma once

/// Contention: which code has waited for a capstan::Mutex that another thread held, and how long.
///
/// Threads: all functions may be called from any thread.

#include <string>

#include <capstan/export.h>

namespace capstan {

/// From now on waits are kept, by call stack. Without it a wait costs one atomic load more.
CAPSTAN_EXPORT void EnableContentionProfile();
CAPSTAN_EXPORT bool IsContentionProfiled();
/// All waits so far, in the text format of gperftools' contention profiles, which pprof reads: wait
/// in nanoseconds and number of waits by stack. Waits of 4,096 different stacks are told apart;
/// those of others are summed up under none.
CAPSTAN_EXPORT std::string ContentionProfile();

}  // namespace capstan
