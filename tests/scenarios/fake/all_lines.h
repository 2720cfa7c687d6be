#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/log/log.h>

namespace capstan::scenarios {

// Keeps every log line, for tests that check the log.
class AllLines final : public LogSink {
 public:
  void Write(std::string_view line) override { lines_.emplace_back(line); }
  bool Have(std::string_view text) const {
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const std::string& line) { return line.find(text) != line.npos; });
  }
  // The number of error lines.
  size_t Errors() const {
    return static_cast<size_t>(
        std::count_if(lines_.begin(), lines_.end(),
                      [](const std::string& line) { return line[0] == 'E' || line[0] == 'W'; }));
  }
  std::string Text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace capstan::scenarios
