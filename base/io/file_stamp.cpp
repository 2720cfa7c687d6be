#include "base/io/file_stamp.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include <capstan/runtime/format.h>

#include "base/io/unique_fd.h"

namespace capstan::client {

FileStamp StampOf(const std::string& path) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return {.modified_ns = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
          .size = static_cast<uint64_t>(info.st_size),
          .inode = static_cast<uint64_t>(info.st_ino)};
}

Result<std::string> ReadWholeFile(const std::string& path) {
  constexpr size_t kMost = 16 << 20;
  const auto failed = [&](int error) {
    return Status::InvalidArgument(
        Format("cannot read {}: {}", path, std::generic_category().message(error)));
  };
  const io::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return failed(errno);
  std::string text;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t count = read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failed(errno);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<size_t>(count));
    if (text.size() > kMost) {
      return Status::InvalidArgument(Format("cannot read {}: larger than {} bytes", path, kMost));
    }
  }
}

}  // namespace capstan::client
