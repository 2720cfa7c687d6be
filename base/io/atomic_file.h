#pragma once

/// Atomic file replacement: the content is written to a temporary file beside the target, which is
/// then renamed.

#include <string>
#include <string_view>

#include <sys/types.h>

#include <capstan/runtime/status.h>

namespace capstan::io {

/// Replaces or creates `path`. On an error, which names the path, the previous file stays
/// unchanged.
Status WriteFileAtomically(const std::string& path, std::string_view content, mode_t mode);

}  // namespace capstan::io
