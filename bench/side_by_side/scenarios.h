#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/side_by_side/options.h"
#include "bench/side_by_side/report.h"

namespace capstan::bench {

/// One kind of measurement. `run` measures each manager and adds its figures to the report. It
/// throws std::runtime_error when a measurement fails.
struct Scenario {
  std::string name;
  std::string what;
  std::function<void(const Options&, Report&)> run;
};

/// All scenarios, in the order in which they run.
const std::vector<Scenario>& Scenarios();

void MeasureIdle(const Options& options, Report& report);
void MeasureColdStart(const Options& options, Report& report);
void MeasureBursts(const Options& options, Report& report);
void MeasureDefaultFlags(const Options& options, Report& report);
void MeasureOneRollout(const Options& options, Report& report);
void MeasureFailover(const Options& options, Report& report);
void MeasureReconcile(const Options& options, Report& report);

}  // namespace capstan::bench
