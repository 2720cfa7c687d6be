#pragma once

/// Reading files whole.

#include <cstddef>
#include <optional>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan::io {

/// The most that is read unless the caller says otherwise. A larger file is an error.
inline constexpr size_t kMostOfFile = size_t{16} << 20;

/// What the file holds. The error is an InvalidArgument, also for a file that does not exist (a
/// NotFound would be taken for an answer of the API), and names the file and the reason: "cannot
/// read /etc/x: Permission denied".
Result<std::string> ReadWholeFile(const std::string& path, size_t most = kMostOfFile);

/// The same; nothing when there is no such file.
Result<std::optional<std::string>> ReadFileIfAny(const std::string& path,
                                                 size_t most = kMostOfFile);

/// The same as ReadWholeFile with the reason alone as error, for callers that word it themselves.
Result<std::string> ReadFileOrReason(const std::string& path, size_t most = kMostOfFile);

}  // namespace capstan::io
