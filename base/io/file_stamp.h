#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <capstan/runtime/clock.h>

namespace capstan::io {

/// How often files are checked for changes.
inline constexpr Duration kFileCheckPeriod = std::chrono::seconds(10);

/// Metadata that changes when the content of a file changes. A missing file has the default stamp.
struct FileStamp {
  int64_t modified_ns = 0;
  uint64_t size = 0;
  uint64_t inode = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The stamp of the file that `path` resolves to.
FileStamp StampOf(const std::string& path);

}  // namespace capstan::io
