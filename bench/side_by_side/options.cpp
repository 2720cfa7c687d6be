#include "bench/side_by_side/options.h"

#include <algorithm>

#include "base/cli/flag_set.h"
#include "bench/side_by_side/scenarios.h"

namespace capstan::bench {
namespace {

Options QuickOptions() {
  Options options;
  options.quick = true;
  options.idle_seconds = 10;
  options.pods = 5000;
  options.quiet_seconds = 10;
  options.deployments = 20;
  options.rollouts = 3;
  options.failovers = 1;
  options.reconcile_pods = 5000;
  options.touches = 200;
  return options;
}

void AddFlags(cli::FlagSet& flags, Options& options, std::vector<std::string>& managers,
              bool& help) {
  flags.BeginSection("side_by_side");
  flags.AddBool("quick", &options.quick, "Smaller figures that take less than ten minutes.");
  flags.AddString("json", &options.json, "Write the figures to this file as JSON.");
  flags.AddString("svg", &options.svg, "Write a picture with the main figures to this file.");
  flags.AddList("managers", &managers, "What to measure: kcm, capstan.");
  flags.AddInt("pods", &options.pods, "The pods of the cold start.");
  flags.AddInt("quiet-seconds", &options.quiet_seconds,
               "How long the manager rests before its memory is read after the cold start.");
  flags.AddInt("idle-seconds", &options.idle_seconds, "How long an idle manager is measured.");
  flags.AddInt("deployments", &options.deployments, "The Deployments of the bursts.");
  flags.AddInt("pods-each", &options.pods_each, "The pods of each of these Deployments.");
  flags.AddInt("rollouts", &options.rollouts, "How often one Deployment is rolled out.");
  flags.AddInt("failovers", &options.failovers, "How often the leader is ended with each signal.");
  flags.AddInt("reconcile-pods", &options.reconcile_pods,
               "The pods of the larger cluster in which the cost of a reconcile is measured.");
  flags.AddInt("touches", &options.touches,
               "How many changes of Deployments there are reconciled.");
  flags.AddBool("help", &help, "Print this text.");
  flags.AlsoAs('h');
}

std::vector<std::string> NamesOf(const std::vector<ManagerKind>& managers) {
  std::vector<std::string> names;
  names.reserve(managers.size());
  for (const ManagerKind kind : managers) names.emplace_back(NameOf(kind));
  return names;
}

Result<std::vector<ManagerKind>> ManagersOf(const std::vector<std::string>& names) {
  std::vector<ManagerKind> managers;
  for (const ManagerKind kind : {ManagerKind::kKcm, ManagerKind::kCapstan}) {
    if (std::find(names.begin(), names.end(), NameOf(kind)) != names.end())
      managers.push_back(kind);
  }
  if (managers.empty() || managers.size() != names.size())
    return Status(StatusReason::kInvalidArgument, "flag --managers: expected kcm, capstan or both");
  return managers;
}

Status Validate(const Options& options) {
  const auto& all = Scenarios();
  for (const std::string& name : options.scenarios) {
    const auto has_name = [&](const Scenario& scenario) { return scenario.name == name; };
    if (std::none_of(all.begin(), all.end(), has_name))
      return Status(StatusReason::kInvalidArgument, "no scenario is called '" + name + "'");
  }
  const int counts[] = {options.pods,      options.idle_seconds,  options.deployments,
                        options.pods_each, options.rollouts,      options.failovers,
                        options.touches,   options.reconcile_pods};
  if (std::any_of(std::begin(counts), std::end(counts), [](int count) { return count < 1; }))
    return Status(StatusReason::kInvalidArgument, "every count must be at least 1");
  return {};
}

}  // namespace

std::string Usage() {
  std::string text =
      "usage: side_by_side [OPTION...] [SCENARIO...]\n\n"
      "Measures kube-controller-manager and Capstan, one after the other, each on a new\n"
      "kube-apiserver and etcd.\n\nScenarios (all by default):\n";
  for (const Scenario& scenario : Scenarios())
    text +=
        "  " + scenario.name + std::string(16 - scenario.name.size(), ' ') + scenario.what + "\n";
  Options options;
  std::vector<std::string> managers = NamesOf(options.managers);
  bool help = false;
  cli::FlagSet flags;
  AddFlags(flags, options, managers, help);
  return text + "\n" + flags.Help(cli::TerminalWidth());
}

Result<Options> ParseOptions(const std::vector<std::string>& arguments, bool& help) {
  const bool quick = std::find(arguments.begin(), arguments.end(), "--quick") != arguments.end();
  Options options = quick ? QuickOptions() : Options{};
  std::vector<std::string> managers = NamesOf(options.managers);
  cli::FlagSet flags;
  AddFlags(flags, options, managers, help);
  if (const Status status = flags.Parse(arguments, options.scenarios); !status.ok()) return status;
  auto kinds = ManagersOf(managers);
  if (!kinds) return kinds.status();
  options.managers = *std::move(kinds);
  if (const Status status = Validate(options); !status.ok()) return status;
  return options;
}

}  // namespace capstan::bench
