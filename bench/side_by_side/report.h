#pragma once

/// Report: the figures of a run, as text, as JSON and as a picture.
///
/// Threads: not thread-safe.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/parts/manager_kind.h"

namespace capstan::bench {

/// What Capstan's figure should be. Without any bound, the figure is only shown.
struct Goal {
  std::optional<double> ratio = {};    ///< at most this times the figure of KCM
  std::optional<double> at_most = {};  ///< at most this
  std::string text = {};               ///< instead of the text made from the bounds
};

struct Measure {
  std::string label;
  std::string unit = {};  ///< "MiB", "s", ...; "" for counts
  int digits = 0;         ///< after the decimal point
  Goal goal = {};
  bool in_picture = false;
};

/// The CPU time of `program` in seconds.
Measure CpuTime(const std::string& program, const Goal& goal, bool in_picture);

struct Row {
  size_t section = 0;
  Measure measure;
  std::array<std::optional<double>, 2> values = {};  ///< by ManagerKind

  const std::optional<double>& Of(ManagerKind kind) const {
    return values[static_cast<size_t>(kind)];
  }
  /// Capstan's figure divided by KCM's.
  std::optional<double> Ratio() const;
  /// nullopt if there is no goal, or no figure.
  std::optional<bool> MeetsGoal() const;
  /// "" if there is no goal.
  std::string GoalText() const;
};

class Report {
 public:
  /// The following figures belong to this section.
  void BeginSection(std::string scenario, std::string title);
  /// Sets the figure of one manager. A row is known by its section and label; the first call
  /// defines it.
  void Add(ManagerKind manager, const Measure& measure, double value);
  /// A figure of an earlier section.
  std::optional<double> Find(const std::string& scenario, const std::string& label,
                             ManagerKind manager) const;

  struct Section {
    std::string scenario, title;
  };
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Row>& rows() const { return rows_; }

  /// The table of one section, or of all.
  std::string SectionText(size_t section) const;
  std::string Text() const;

 private:
  std::vector<Section> sections_;
  std::vector<Row> rows_;
};

/// "1,222 MiB"
std::string FigureText(double value, const Measure& measure);

/// Facts about the run, by name: the machine, the versions, the options.
using Facts = std::vector<std::pair<std::string, std::string>>;
std::string ReportJson(const Report& report, const Facts& facts);

/// An SVG with two bars for each row that is `in_picture`. `caption` is the line below.
std::string ReportPicture(const Report& report, const std::string& caption);

}  // namespace capstan::bench
