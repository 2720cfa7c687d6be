#pragma once

// Where the demonstration shows itself: a table that is redrawn on a terminal, plain lines
// elsewhere.

#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

#include "demo/view.h"

namespace capstan::demo {

class Screen {
 public:
  // `terminal`: whether the output can be drawn over.
  Screen(bool terminal, MonotonicTime start) : terminal_(terminal), start_(start) {}

  // A line that stays.
  void Say(const std::string& text);
  // The present state, in the place of the one before.
  void Show(const Scene& scene, const std::string& leader,
            const std::vector<std::string>& standbys);

 private:
  std::string Elapsed() const;
  void Clear();

  const bool terminal_;
  const MonotonicTime start_;
  size_t drawn_ = 0;  // lines of the table that stands
  std::string last_;  // what was shown last
};

// "████████▒▒░░": ready, there but not ready, wanted and not there; of `full` in `width` columns.
std::string ProgressBar(int64_t ready, int64_t pods, int64_t wanted, int64_t full, int width);

}  // namespace capstan::demo
