#pragma once

// Verbosity by file: klog's --vmodule.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::log {

// Threads: immutable.
class VModule {
 public:
  // Reads "pattern=N,..."; errors name the entry.
  static Result<VModule> Parse(std::string_view text);
  // What `text` says, without what is wrong in it. It lives as long as the process, as a line may
  // ask for it at any time, and is the same for the same text. Null when it says nothing.
  static const VModule* Keep(std::string_view text);

  // That of the first pattern that fits the name of `file`, without folder and extension; else 0.
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
