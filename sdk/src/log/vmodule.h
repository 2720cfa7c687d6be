#pragma once

/// Verbosity by file: klog's --vmodule.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::log {

/// Threads: immutable.
class VModule {
 public:
  /// Parses "pattern=N,...". Errors name the entry.
  static Result<VModule> Parse(std::string_view text);
  /// Returns the valid entries of `text`. The result is the same for the same text and lives as
  /// long as the process, because a log line may use it at any time. Null if there are no entries.
  static const VModule* Keep(std::string_view text);

  /// The verbosity of the first pattern that matches the name of `file`, without folder and
  /// extension; otherwise 0.
  int VerbosityOf(std::string_view file) const;
  int highest() const { return highest_; }

 private:
  struct Pattern {
    std::string glob;
    int verbosity;
  };
  // Adds one entry.
  Status Add(std::string_view entry);

  std::vector<Pattern> patterns_;
  int highest_ = 0;
};

}  // namespace capstan::log
