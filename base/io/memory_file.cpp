#include "base/io/memory_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <system_error>

#include <capstan/runtime/format.h>

namespace capstan::io {
namespace {

Status FileError(std::string_view what) {
  return {StatusReason::kInternalError,
          Format("{}: {}", what, std::generic_category().message(errno))};
}

}  // namespace

Result<MemoryFile> MemoryFile::New(const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid()) return FileError("cannot create a file in memory");
  return MemoryFile(std::move(fd));
}

std::string MemoryFile::path() const { return Format("/proc/self/fd/{}", fd_.get()); }

Result<std::string> MemoryFile::Read() const {
  std::string text;
  char buffer[16384];
  while (true) {
    const ssize_t count = pread(fd_.get(), buffer, sizeof(buffer), static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("cannot read a file in memory");
    if (count == 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace capstan::io
