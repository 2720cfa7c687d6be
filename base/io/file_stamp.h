#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::client {

// How often files are looked at for a change.
inline constexpr Duration kFileCheckPeriod = std::chrono::seconds(10);

// What tells one content of a file from the next, without reading it. A file that is not there has
// the default stamp.
struct FileStamp {
  int64_t modified_ns = 0;
  uint64_t size = 0;
  uint64_t inode = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

FileStamp StampOf(const std::string& path);
// The whole file; an InvalidArgument that names the path and the reason. Larger than 16 MiB is an
// error too.
Result<std::string> ReadWholeFile(const std::string& path);

}  // namespace capstan::client
