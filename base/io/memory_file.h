#pragma once

/// MemoryFile: a file without a place, for libraries that want to be told a path.

#include <string>

#include <capstan/runtime/status.h>

namespace capstan::io {

class MemoryFile {
 public:
  static Result<MemoryFile> New(const char* name);
  MemoryFile(MemoryFile&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  /// It leads there only in this process, and while this lives.
  std::string path() const;
  Result<std::string> Read() const;

 private:
  explicit MemoryFile(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace capstan::io
