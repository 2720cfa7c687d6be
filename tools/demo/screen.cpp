#include "demo/screen.h"

#include <algorithm>
#include <cstdio>

#include <capstan/runtime/runtime.h>

#include "base/text/joined.h"

namespace capstan::demo {
namespace {

constexpr int kBarWidth = 32;

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string CountsOf(const ReplicaSetRow& row) {
  return std::to_string(row.pods) + " pods, " + std::to_string(row.ready) + " ready";
}

std::string LineOf(const Scene& scene) {
  std::string line;
  for (const ReplicaSetRow& row : scene.rows) {
    line += (line.empty() ? "" : "; ") + ("revision " + row.revision) + ": " + CountsOf(row);
  }
  return line;
}

std::string TableOf(const Scene& scene, const std::string& leader,
                    const std::vector<std::string>& standbys) {
  std::string table = "\n  leader   " + Padded(leader.empty() ? "(none)" : leader, 10) +
                      "   standby  " + (standbys.empty() ? "none" : text::Joined(standbys, ", ")) +
                      "\n";
  for (const ReplicaSetRow& row : scene.rows) {
    table += "  revision " + Padded(row.revision, 3) + " " +
             ProgressBar(row.ready, row.pods, row.wanted, scene.replicas, kBarWidth) + "  " +
             Padded(CountsOf(row), 18) + "  " + row.image + "\n";
  }
  return table;
}

}  // namespace

std::string ProgressBar(int64_t ready, int64_t pods, int64_t wanted, int64_t full, int width) {
  const auto column = [&](int64_t count) {
    return full <= 0 ? 0 : std::min<int64_t>(width, (count * width + full - 1) / full);
  };
  std::string bar;
  for (int64_t i = 0; i < width; ++i) {
    if (i < column(ready)) {
      bar += "█";
    } else if (i < column(pods)) {
      bar += "▒";
    } else if (i < column(wanted)) {
      bar += "░";
    } else {
      bar += "·";
    }
  }
  return bar;
}

std::string Screen::Elapsed() const {
  char text[16];
  const std::chrono::duration<double> seconds = SystemRuntime().Now() - start_;
  std::snprintf(text, sizeof(text), "%6.1fs", seconds.count());
  return text;
}

void Screen::Clear() {
  if (drawn_ > 0) std::printf("\x1b[%zuA\x1b[J", drawn_);
  drawn_ = 0;
  last_.clear();
}

void Screen::Say(const std::string& text) {
  Clear();
  std::printf("%s  %s\n", Elapsed().c_str(), text.c_str());
  std::fflush(stdout);
}

void Screen::Show(const Scene& scene, const std::string& leader,
                  const std::vector<std::string>& standbys) {
  const std::string text = terminal_ ? TableOf(scene, leader, standbys) : LineOf(scene);
  if (text.empty() || text == last_) return;
  if (!terminal_) {
    Say(text);
    last_ = text;
    return;
  }
  Clear();
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  drawn_ = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  last_ = text;
}

}  // namespace capstan::demo
