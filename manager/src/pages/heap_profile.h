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
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::manager {

struct HeapProfile {
  std::string content_type;
  std::string text;
};

Result<HeapProfile> TakeHeapProfile();

/// What jemalloc writes, as gperftools would: a line for each stack, without the threads.
std::string PprofOfJemalloc(std::string_view text);

}  // namespace capstan::manager
