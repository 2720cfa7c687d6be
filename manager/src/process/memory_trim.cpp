#include "process/memory_trim.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace capstan::manager {
namespace {

/// Drops the pages of read-only segments, because their files have the same content. All other
/// segments are left alone, including those that the loader made read-only after relocation.
int ForgetFilePages(dl_phdr_info* object, size_t, void*) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t address = object->dlpi_addr + segment.p_vaddr;
    // A page that is shared with an adjacent segment is kept.
    const uintptr_t begin = (address + page - 1) / page * page;
    const uintptr_t end = (address + segment.p_filesz) / page * page;
    if (begin >= end) continue;
    // The loader gives numbers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void LimitHeaps() {
  constexpr int kHeaps = 4;  // a reflector of many objects and its informer have one each
  mallopt(M_ARENA_MAX, kHeaps);
}

void TrimMemory() {
  malloc_trim(0);
  dl_iterate_phdr(ForgetFilePages, nullptr);
}

}  // namespace capstan::manager
