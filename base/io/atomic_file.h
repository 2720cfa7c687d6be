#pragma once

/// Files that others see whole: written under another name beside, then renamed.

#include <string>
#include <string_view>

#include <sys/types.h>

#include <capstan/runtime/status.h>

namespace capstan::io {

/// Replaces or creates `path`. The error names it; what was there before stays then.
Status WriteFileAtomically(const std::string& path, std::string_view content, mode_t mode);

}  // namespace capstan::io
