#pragma once

/// The output of the demonstration: a table that is redrawn on a terminal, plain lines elsewhere.

#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

#include "demo/view.h"

namespace capstan::demo {

class Screen {
 public:
  /// `terminal`: whether the output can be redrawn.
  Screen(bool terminal, MonotonicTime start) : terminal_(terminal), start_(start) {}

  /// Prints a line that stays on the screen.
  void Say(const std::string& text);
  /// Shows the current state in place of the previous one.
  void Show(const Scene& scene, const std::string& leader,
            const std::vector<std::string>& standbys);

 private:
  std::string Elapsed() const;
  void Clear();

  const bool terminal_;
  const MonotonicTime start_;
  size_t drawn_ = 0;  // lines of the table on the screen
  std::string last_;  // the last text shown
};

/// Returns a bar such as "████████▒▒░░": ready pods, pods that are not ready, and missing pods.
/// `full` pods are `width` columns wide.
std::string ProgressBar(int64_t ready, int64_t pods, int64_t wanted, int64_t full, int width);

}  // namespace capstan::demo
