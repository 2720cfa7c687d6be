#include "base/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/io/unique_fd.h"

namespace capstan::io {
namespace {

Status FileFailure(const std::string& path, const char* what) {
  return Status::InvalidArgument(path + ": " + what + ": " + std::strerror(errno));
}

bool WriteWholeFd(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Status WriteFileAtomically(const std::string& path, std::string_view content, mode_t mode) {
  std::string pattern = path + ".XXXXXX";
  std::vector<char> name(pattern.c_str(), pattern.c_str() + pattern.size() + 1);
  const UniqueFd file(mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) return FileFailure(path, "cannot write");
  if (fchmod(file.get(), mode) != 0 || !WriteWholeFd(file.get(), content) ||
      fsync(file.get()) != 0 || rename(name.data(), path.c_str()) != 0) {
    Status status = FileFailure(path, "cannot write");
    unlink(name.data());
    return status;
  }
  return Status::Ok();
}

}  // namespace capstan::io
