#pragma once

/// Heap profiles.
///
/// A profile with call stacks needs an allocator that records them. The C library's allocator
/// does not, and one that does costs memory all the time, so the operator chooses it. With
/// LD_PRELOAD=libjemalloc.so.2 and MALLOC_CONF=prof:true the result is jemalloc's profile, which
/// pprof and jeprof read. Otherwise it is the C library's arena statistics as XML (malloc_info(3)).
///
/// Threads: may be called from any thread.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::manager {

struct HeapProfile {
  std::string content_type;
  std::string text;
};

Result<HeapProfile> TakeHeapProfile();

/// Converts a jemalloc profile to gperftools' format: one line per stack, without the threads.
std::string PprofOfJemalloc(std::string_view text);

}  // namespace capstan::manager
