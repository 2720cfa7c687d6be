#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <capstan/runtime/clock.h>

namespace capstan::io {

/// How often files are looked at for a change.
inline constexpr Duration kFileCheckPeriod = std::chrono::seconds(10);

/// What tells one content of a file from the next, without reading it. A file that is not there has
/// the default stamp.
struct FileStamp {
  int64_t modified_ns = 0;
  uint64_t size = 0;
  uint64_t inode = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Of the file that `path` leads to.
FileStamp StampOf(const std::string& path);

}  // namespace capstan::io
