#include "base/io/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/io/unique_fd.h"

namespace capstan::io {
namespace {

// Appends the file's content, at most one buffer more than `most`. Returns 0 or the errno value.
int AppendFile(const std::string& path, size_t most, std::string& text) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return errno;
  std::array<char, 16384> buffer;
  while (text.size() <= most) {
    const ssize_t count = read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  return 0;
}

Status FailedRead(int error, size_t most) {
  constexpr size_t kMebibyte = size_t{1} << 20;
  if (error != 0) return Status::InvalidArgument(std::generic_category().message(error));
  return Status::InvalidArgument(most % kMebibyte == 0
                                     ? Format("is larger than {} MiB", most / kMebibyte)
                                     : Format("is larger than {} bytes", most));
}

Status Named(const Status& reason, const std::string& path) {
  return reason.WithContext("cannot read " + path);
}

}  // namespace

Result<std::string> ReadFileOrReason(const std::string& path, size_t most) {
  std::string text;
  const int error = AppendFile(path, most, text);
  if (error != 0 || text.size() > most) return FailedRead(error, most);
  return text;
}

Result<std::string> ReadWholeFile(const std::string& path, size_t most) {
  auto text = ReadFileOrReason(path, most);
  if (!text) return Named(text.status(), path);
  return text;
}

Result<std::optional<std::string>> ReadFileIfAny(const std::string& path, size_t most) {
  std::string text;
  const int error = AppendFile(path, most, text);
  if (error == ENOENT) return std::optional<std::string>();
  if (error != 0 || text.size() > most) return Named(FailedRead(error, most), path);
  return std::optional(std::move(text));
}

}  // namespace capstan::io
