#pragma once

/// AllowedPaths: the paths that need no leave, such as those of health checks.
///
/// Threads: immutable; any.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::manager {

/// `path` from "/" on without empty segments, "." and "..", as Go's ServeMux cleans it: a '/' at
/// its end stays.
std::string CleanPath(std::string_view path);

class AllowedPaths {
 public:
  /// Each is a whole path, or the beginning of paths when it ends with '*'. A '/' in front may be
  /// missing. InvalidArgument for another '*'.
  static Result<AllowedPaths> Parse(const std::vector<std::string>& paths);

  /// `path` is clean.
  bool Matches(std::string_view path) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> prefixes_;
};

}  // namespace capstan::manager
