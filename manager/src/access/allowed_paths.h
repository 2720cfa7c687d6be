#pragma once

/// AllowedPaths: the paths that need no authorization, such as those of health checks.
///
/// Threads: immutable, so all methods may be called from any thread.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::manager {

/// Returns `path` with a leading "/" and without empty segments, "." and "..", as Go's ServeMux
/// cleans it. A trailing '/' is kept.
std::string CleanPath(std::string_view path);

class AllowedPaths {
 public:
  /// Each entry is a whole path, or a prefix if it ends with '*'. The leading '/' is optional.
  /// Returns InvalidArgument for a '*' elsewhere.
  static Result<AllowedPaths> Parse(const std::vector<std::string>& paths);

  /// `path` must be clean, see CleanPath.
  bool Matches(std::string_view path) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> prefixes_;
};

}  // namespace capstan::manager
