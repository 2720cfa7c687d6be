#include "pages/heap_profile.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>

#include <capstan/runtime/format.h>

#include "base/io/memory_file.h"

namespace capstan::manager {
namespace {

/// The type of mallctl, jemalloc's interface to its settings and statistics.
using MallCtl = int (*)(const char* name, void* old_value, size_t* old_size, void* new_value,
                        size_t new_size);

/// Returns null unless jemalloc is the allocator and records stacks.
MallCtl ProfilingJemalloc() {
  const auto control = reinterpret_cast<MallCtl>(dlsym(RTLD_DEFAULT, "mallctl"));
  bool is_on = false;
  size_t size = sizeof(is_on);
  if (!control || control("opt.prof", &is_on, &size, nullptr, 0) != 0) return nullptr;
  return is_on ? control : nullptr;
}

Result<HeapProfile> JemallocProfile(MallCtl control) {
  auto file = io::MemoryFile::New("heap-profile");
  if (!file) return file.status();
  const std::string path = file->path();
  const char* name = path.c_str();
  if (const int error = control("prof.dump", nullptr, nullptr, &name, sizeof(name)); error != 0) {
    return Status(StatusReason::kInternalError, Format("jemalloc's prof.dump: error {}", error));
  }
  auto text = file->Read();
  if (!text) return text.status();
  return HeapProfile{"application/octet-stream", PprofOfJemalloc(*text)};
}

Result<HeapProfile> MallocInfo() {
  char* text = nullptr;
  size_t size = 0;
  FILE* const stream = open_memstream(&text, &size);
  const bool done = stream && malloc_info(0, stream) == 0;
  if (stream) (void)fclose(stream);
  HeapProfile profile{"application/xml",
                      "<!-- Only jemalloc records call stacks (Debian's libjemalloc2): start "
                      "the process with LD_PRELOAD=libjemalloc.so.2 MALLOC_CONF=prof:true -->\n"};
  if (done) profile.text.append(text, size);
  free(text);
  if (!done) return Status(StatusReason::kInternalError, "malloc_info failed");
  return profile;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string PprofOfJemalloc(std::string_view text) {
  constexpr std::string_view kAllThreads = "  t*: ";
  const std::string_view kind = TakeLine(text);  // "heap_v2/524288"
  std::string profile;
  std::string_view stack;
  while (!text.empty() && !text.starts_with("MAPPED_LIBRARIES:")) {
    const std::string_view line = TakeLine(text);
    if (line.starts_with("@ ")) stack = line;
    if (!line.starts_with(kAllThreads)) continue;
    const std::string_view counts = line.substr(kAllThreads.size());
    // The totals appear before the first stack.
    profile += stack.empty() ? Format("heap profile: {} @ {}\n", counts, kind)
                             : Format("{} {}\n", counts, stack);
  }
  return profile + "\n" + std::string(text);
}

Result<HeapProfile> TakeHeapProfile() {
  const MallCtl jemalloc = ProfilingJemalloc();
  return jemalloc ? JemallocProfile(jemalloc) : MallocInfo();
}

}  // namespace capstan::manager
