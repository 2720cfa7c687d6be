#pragma once

/// MemoryFile: an anonymous file in memory, for libraries that need a path.

#include <string>
#include <utility>

#include <capstan/runtime/status.h>

#include "base/io/unique_fd.h"

namespace capstan::io {

class MemoryFile {
 public:
  static Result<MemoryFile> New(const char* name);
  /// A path that is valid only in this process and while this object lives.
  std::string path() const;
  Result<std::string> Read() const;

 private:
  explicit MemoryFile(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace capstan::io
