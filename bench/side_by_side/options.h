#pragma once

#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "bench/parts/manager_kind.h"

namespace capstan::bench {

struct Options {
  bool quick = false;
  std::vector<ManagerKind> managers = {ManagerKind::kKcm, ManagerKind::kCapstan};
  int idle_seconds = 60;
  int pods = 50000;        // of the cold start
  int quiet_seconds = 30;  // before its memory is read
  int deployments = 100;   // of the bursts
  int pods_each = 10;
  int rollouts = 10;            // of one Deployment
  int failovers = 5;            // for each signal
  int reconcile_pods = 150000;  // the larger of the two clusters
  int touches = 1000;
  std::string json, svg;               // files to write
  std::vector<std::string> scenarios;  // empty: all of them
};

/// The text of --help.
std::string Usage();

/// InvalidArgument names the flag or the scenario that is wrong. `help` is set for --help.
Result<Options> ParseOptions(const std::vector<std::string>& arguments, bool& help);

}  // namespace capstan::bench
