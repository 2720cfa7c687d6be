#include "base/io/file_stamp.h"

#include <sys/stat.h>

namespace capstan::io {

FileStamp StampOf(const std::string& path) {
  struct stat info {};
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return {.modified_ns = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
          .size = static_cast<uint64_t>(info.st_size),
          .inode = static_cast<uint64_t>(info.st_ino)};
}

}  // namespace capstan::io
