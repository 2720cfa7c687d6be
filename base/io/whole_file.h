#pragma once

/// Functions that read whole files.

#include <cstddef>
#include <optional>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan::io {

/// The default size limit in bytes. A larger file is an error.
inline constexpr size_t kMostOfFile = size_t{16} << 20;

/// Returns the content of the file. Every error is an InvalidArgument, also for a missing file,
/// since a NotFound would be mistaken for a response of the API server. The error names the file
/// and the reason: "cannot read /etc/x: Permission denied".
Result<std::string> ReadWholeFile(const std::string& path, size_t most = kMostOfFile);

/// Like ReadWholeFile, but returns nullopt if the file does not exist.
Result<std::optional<std::string>> ReadFileIfAny(const std::string& path,
                                                 size_t most = kMostOfFile);

/// Like ReadWholeFile, but the error is the reason alone, for callers with their own error text.
Result<std::string> ReadFileOrReason(const std::string& path, size_t most = kMostOfFile);

}  // namespace capstan::io
