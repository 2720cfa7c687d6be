#include "bench/side_by_side/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/json/json_text.h"

namespace capstan::bench {
namespace {

constexpr size_t kLabelWidth = 46;
constexpr size_t kFigureWidth = 13;

std::string FixedText(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string PaddedLeft(const std::string& text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string PaddedRight(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

std::string RowText(const Row& row) {
  const auto figure = [&](ManagerKind kind) {
    const auto& value = row.Of(kind);
    return PaddedLeft(value ? FigureText(*value, row.measure) : "-", kFigureWidth);
  };
  std::string text = "  " + PaddedRight(row.measure.label, kLabelWidth) +
                     figure(ManagerKind::kKcm) + figure(ManagerKind::kCapstan);
  const auto ratio = row.Ratio();
  text += PaddedLeft(ratio ? FixedText(*ratio, *ratio < 0.1 ? 3 : 2) : "", 9);
  const std::string goal = row.GoalText();
  if (goal.empty()) return text + "\n";
  const auto met = row.MeetsGoal();
  return text + "   " + (met ? (*met ? "met     " : "missed  ") : "        ") + goal + "\n";
}

void AppendOptional(json::ObjectWriter& object, std::string& out, std::string_view key,
                    const std::optional<double>& value) {
  object.Key(key);
  out += value ? FixedText(*value, 6) : "null";
}

}  // namespace

Measure CpuTime(const std::string& program, const Goal& goal, bool in_picture) {
  return {.label = "CPU of " + program,
          .unit = "s",
          .digits = 2,
          .goal = goal,
          .in_picture = in_picture};
}

std::optional<double> Row::Ratio() const {
  const auto& kcm = Of(ManagerKind::kKcm);
  const auto& capstan = Of(ManagerKind::kCapstan);
  if (!kcm || !capstan || *kcm <= 0) return {};
  return *capstan / *kcm;
}

std::optional<bool> Row::MeetsGoal() const {
  const Goal& goal = measure.goal;
  const auto& capstan = Of(ManagerKind::kCapstan);
  if (!capstan || (!goal.ratio && !goal.at_most)) return {};
  if (goal.at_most && *capstan > *goal.at_most) return false;
  if (!goal.ratio) return true;
  const auto ratio = Ratio();
  if (!ratio) return {};
  return *ratio <= *goal.ratio;
}

std::string Row::GoalText() const {
  const Goal& goal = measure.goal;
  if (!goal.text.empty()) return goal.text;
  std::string text;
  if (goal.ratio) text = "≤ " + FixedText(*goal.ratio, 2) + " × KCM";
  if (goal.at_most) text += (text.empty() ? "≤ " : ", ≤ ") + FigureText(*goal.at_most, measure);
  return text;
}

std::string FigureText(double value, const Measure& measure) {
  std::string text = FixedText(value, measure.digits);
  const size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > 3; at -= 3) {
    if (text[at - 4] != '-') text.insert(at - 3, ",");
  }
  return measure.unit.empty() ? text : text + " " + measure.unit;
}

void Report::BeginSection(std::string scenario, std::string title) {
  sections_.push_back({std::move(scenario), std::move(title)});
}

void Report::Add(ManagerKind manager, const Measure& measure, double value) {
  if (sections_.empty()) throw std::logic_error("a figure needs a section");
  const size_t section = sections_.size() - 1;
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& other) {
    return other.section == section && other.measure.label == measure.label;
  });
  if (row == rows_.end()) row = rows_.insert(row, Row{.section = section, .measure = measure});
  row->values[static_cast<size_t>(manager)] = value;
}

std::optional<double> Report::Find(const std::string& scenario, const std::string& label,
                                   ManagerKind manager) const {
  for (const Row& row : rows_) {
    if (sections_[row.section].scenario == scenario && row.measure.label == label)
      return row.Of(manager);
  }
  return {};
}

std::string Report::SectionText(size_t section) const {
  std::string text = sections_[section].title + "\n  " + std::string(kLabelWidth, ' ') +
                     PaddedLeft("KCM", kFigureWidth) + PaddedLeft("Capstan", kFigureWidth) +
                     PaddedLeft("ratio", 9) + "   goal\n";
  for (const Row& row : rows_) {
    if (row.section == section) text += RowText(row);
  }
  return text;
}

std::string Report::Text() const {
  std::string text;
  for (size_t i = 0; i < sections_.size(); ++i) text += SectionText(i) + "\n";
  return text;
}

std::string ReportJson(const Report& report, const Facts& facts) {
  std::string out;
  json::ObjectWriter all(out);
  all.Key("facts");
  {
    json::ObjectWriter object(out);
    for (const auto& [name, value] : facts) {
      object.Key(name);
      json::AppendString(out, value);
    }
    object.End();
  }
  all.Key("rows");
  out += '[';
  for (const Row& row : report.rows()) {
    if (out.back() != '[') out += ',';
    out += '\n';
    json::ObjectWriter object(out);
    const Report::Section& section = report.sections()[row.section];
    for (const auto& [key, value] : {std::pair{"scenario", section.scenario},
                                     {"section", section.title},
                                     {"label", row.measure.label},
                                     {"unit", row.measure.unit},
                                     {"goal", row.GoalText()}}) {
      object.Key(key);
      json::AppendString(out, value);
    }
    AppendOptional(object, out, "kcm", row.Of(ManagerKind::kKcm));
    AppendOptional(object, out, "capstan", row.Of(ManagerKind::kCapstan));
    AppendOptional(object, out, "ratio", row.Ratio());
    object.Key("met");
    const auto met = row.MeetsGoal();
    out += met ? (*met ? "true" : "false") : "null";
    object.End();
  }
  out += "\n]";
  all.End();
  return out + "\n";
}

}  // namespace capstan::bench
