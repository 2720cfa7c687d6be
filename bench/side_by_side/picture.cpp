// The picture of a report: for each row a bar of each manager, the longer of the two as wide as the
// picture allows.

#include <algorithm>
#include <string>
#include <string_view>

#include "bench/side_by_side/report.h"

namespace capstan::bench {
namespace {

constexpr int kWidth = 860;
constexpr int kMargin = 16;
constexpr int kBarsAt = 390;
constexpr int kBarsWidth = 330;
constexpr int kBarHeight = 12;
constexpr int kRowHeight = 40;
constexpr int kTop = 52;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string TextAt(int x, int y, std::string_view style, std::string_view text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" class=\"" +
         std::string(style) + "\">" + Escaped(text) + "</text>\n";
}

std::string RectangleAt(int x, int y, int width, std::string_view style) {
  return "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
         std::to_string(width) + "\" height=\"" + std::to_string(kBarHeight) +
         "\" rx=\"2\" class=\"" + std::string(style) + "\"/>\n";
}

std::string BarAt(int y, ManagerKind kind, const Row& row) {
  const double longest =
      std::max(row.Of(ManagerKind::kKcm).value_or(0), row.Of(ManagerKind::kCapstan).value_or(0));
  const double value = row.Of(kind).value_or(0);
  const int width = longest > 0 ? std::max(2, static_cast<int>(value / longest * kBarsWidth)) : 2;
  std::string figure = FigureText(value, row.measure);
  // KCM's figure is the measure of the other.
  if (const auto ratio = row.Ratio(); ratio && kind == ManagerKind::kCapstan)
    figure += "  (" + FigureText(*ratio, {.label = "", .digits = *ratio < 0.1 ? 3 : 2}) + " ×)";
  return RectangleAt(kBarsAt, y, width, NameOf(kind)) +
         TextAt(kBarsAt + width + 6, y + kBarHeight - 2, "figure", figure);
}

std::string Head(int height) {
  const std::string size =
      "width=\"" + std::to_string(kWidth) + "\" height=\"" + std::to_string(height) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " +
         std::to_string(kWidth) + " " + std::to_string(height) + "\">\n<style>\n" +
         "text{font:13px system-ui,-apple-system,\"Segoe UI\",Helvetica,Arial,sans-serif;"
         "fill:#d8dee9}\n"
         ".figure{font-size:12px}\n.note{font-size:11px;fill:#8b95a7}\n"
         ".kcm{fill:#7b8496}\n.capstan{fill:#4fb3a5}\n</style>\n" +
         "<rect " + size + " rx=\"6\" fill=\"#20242c\"/>\n";
}

std::string Legend() {
  return RectangleAt(kBarsAt, 18, 12, NameOf(ManagerKind::kKcm)) +
         TextAt(kBarsAt + 18, 28, "figure", "kube-controller-manager") +
         RectangleAt(kBarsAt + 190, 18, 12, NameOf(ManagerKind::kCapstan)) +
         TextAt(kBarsAt + 208, 28, "figure", "Capstan (shorter is better)");
}

}  // namespace

std::string ReportPicture(const Report& report, const std::string& caption) {
  std::string body = Legend();
  int y = kTop;
  std::string scenario;
  for (const Row& row : report.rows()) {
    if (!row.measure.in_picture) continue;
    const Report::Section& section = report.sections()[row.section];
    if (section.title != scenario) {
      body += TextAt(kMargin, y + 10, "note", section.title);
      scenario = section.title;
      y += 20;
    }
    body += TextAt(kMargin, y + kBarHeight + 5, "label", row.measure.label);
    body +=
        BarAt(y, ManagerKind::kKcm, row) + BarAt(y + kBarHeight + 2, ManagerKind::kCapstan, row);
    y += kRowHeight;
  }
  body += TextAt(kMargin, y + 10, "note", caption);
  return Head(y + 24) + body + "</svg>\n";
}

}  // namespace capstan::bench
