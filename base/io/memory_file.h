#pragma once

/// MemoryFile: a file without a place, for libraries that want to be told a path.

#include <string>
#include <utility>

#include <capstan/runtime/status.h>

#include "base/io/unique_fd.h"

namespace capstan::io {

class MemoryFile {
 public:
  static Result<MemoryFile> New(const char* name);
  /// It leads there only in this process, and while this lives.
  std::string path() const;
  Result<std::string> Read() const;

 private:
  explicit MemoryFile(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace capstan::io
