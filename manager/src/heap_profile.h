#pragma once

/// What is on the heap.
///
/// A profile with call stacks takes an allocator that keeps them, which the C library's does not;
/// one that does costs memory at all times, so that it is the operator's choice: with
/// LD_PRELOAD=libjemalloc.so.2 and MALLOC_CONF=prof:true there is jemalloc's profile, which pprof
/// and jeprof read. Without there is the C library's account of its arenas (malloc_info(3)), as
/// XML.
///
/// Threads: any.

#include <string>

#include <capstan/runtime/status.h>

namespace capstan::manager {

struct HeapProfile {
  std::string content_type;
  std::string text;
};

Result<HeapProfile> TakeHeapProfile();

}  // namespace capstan::manager
