// Rows of Pods. The status column summarizes the state of the containers.

#include <cstdint>
#include <string>

#include <capstan/api/time.h>
#include <capstan/runtime/format.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/rows.h"

namespace capstan::testing::server {
namespace {

using json::Value;

bool HasCondition(const Value& pod, std::string_view type) {
  for (const Value& condition : pod.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == type) {
      return condition.Get("status").AsString() == "True";
    }
  }
  return false;
}

// Whether the init container is a sidecar, which keeps running.
bool IsSidecar(const Value& pod, std::string_view name) {
  for (const Value& container : pod.Get("spec", "initContainers").items()) {
    if (container.Get("name").AsString() == name) {
      return container.Get("restartPolicy").AsString() == "Always";
    }
  }
  return false;
}

struct Restarts {
  int64_t count = 0;
  api::Time last;

  void Add(const Value& container) {
    count += container.Get("restartCount").AsInteger();
    const auto finished =
        api::Time::Parse(container.Get("lastState", "terminated", "finishedAt").AsString());
    if (finished && *finished > last) last = *finished;
  }
};

struct PodSummary {
  std::string reason;
  int64_t ready = 0;
  Restarts restarts;
  Restarts sidecar_restarts;
};

std::string TerminatedReason(const Value& terminated) {
  if (const Value& reason = terminated.Get("reason"); !reason.IsEmpty()) return reason.AsString();
  if (const int64_t signal = terminated.Get("signal").AsInteger(); signal != 0) {
    return Format("Signal:{}", signal);
  }
  return Format("ExitCode:{}", terminated.Get("exitCode").AsInteger());
}

// Sets the reason of the first init container that is not done. Returns false if all are done.
bool SummarizeInitContainers(const Value& pod, PodSummary& summary) {
  const auto& containers = pod.Get("status", "initContainerStatuses").items();
  for (size_t i = 0; i < containers.size(); ++i) {
    const Value& container = containers[i];
    const bool sidecar = IsSidecar(pod, container.Get("name").AsString());
    summary.restarts.Add(container);
    if (sidecar) summary.sidecar_restarts.Add(container);
    const Value& terminated = container.Get("state", "terminated");
    const std::string& waiting = container.Get("state", "waiting", "reason").AsString();
    if (terminated.IsObject() && terminated.Get("exitCode").AsInteger() == 0) continue;
    if (sidecar && container.Get("started").AsBool()) {
      if (container.Get("ready").AsBool()) ++summary.ready;
      continue;
    }
    if (terminated.IsObject()) {
      summary.reason = "Init:" + TerminatedReason(terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      summary.reason = "Init:" + waiting;
    } else {
      summary.reason = Format("Init:{}/{}", i, pod.Get("spec", "initContainers").items().size());
    }
    return true;
  }
  return false;
}

void SummarizeContainers(const Value& pod, PodSummary& summary) {
  summary.restarts = summary.sidecar_restarts;
  bool running = false;
  std::string error;
  const auto& containers = pod.Get("status", "containerStatuses").items();
  // The reason of the first container wins, so iterate backwards.
  for (auto container = containers.rbegin(); container != containers.rend(); ++container) {
    summary.restarts.Add(*container);
    const Value& state = container->Get("state");
    const Value& terminated = state.Get("terminated");
    if (const Value& reason = state.Get("waiting", "reason"); !reason.IsEmpty()) {
      summary.reason = reason.AsString();
    } else if (terminated.IsObject()) {
      summary.reason = TerminatedReason(terminated);
      if (terminated.Get("exitCode").AsInteger() != 0) error = summary.reason;
    } else if (container->Get("ready").AsBool() && state.Get("running").IsObject()) {
      running = true;
      ++summary.ready;
    }
  }
  if (summary.reason != "Completed") return;
  if (running && HasCondition(pod, "Ready")) {
    summary.reason = "Running";
  } else if (!error.empty()) {
    summary.reason = error;
  } else if (running) {
    summary.reason = "NotReady";
  }
}

PodSummary Summarize(const Value& pod) {
  const Value& status = pod.Get("status");
  const std::string& phase = status.Get("phase").AsString();
  PodSummary summary;
  summary.reason = status.Get("reason").IsEmpty() ? phase : status.Get("reason").AsString();
  for (const Value& condition : status.Get("conditions").items()) {
    if (condition.Get("type").AsString() == "PodScheduled" &&
        condition.Get("reason").AsString() == "SchedulingGated") {
      summary.reason = "SchedulingGated";
    }
  }
  const bool initializing = SummarizeInitContainers(pod, summary);
  if (!initializing || HasCondition(pod, "Initialized")) SummarizeContainers(pod, summary);
  if (!pod.Get("metadata", "deletionTimestamp").IsNull()) {
    if (status.Get("reason").AsString() == "NodeLost") {
      summary.reason = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.reason = "Terminating";
    }
  }
  return summary;
}

size_t ExpectedContainers(const Value& pod) {
  size_t count = pod.Get("spec", "containers").items().size();
  for (const Value& container : pod.Get("spec", "initContainers").items()) {
    if (container.Get("restartPolicy").AsString() == "Always") ++count;
  }
  return count;
}

std::string ReadinessGates(const Value& pod) {
  const auto& gates = pod.Get("spec", "readinessGates").items();
  if (gates.empty()) return "<none>";
  int open = 0;
  for (const Value& gate : gates) {
    if (HasCondition(pod, gate.Get("conditionType").AsString())) ++open;
  }
  return Format("{}/{}", open, gates.size());
}

std::string RestartsText(const Restarts& restarts, WallTime now) {
  if (restarts.count == 0 || restarts.last.IsZero()) return std::to_string(restarts.count);
  return Format("{} ({} ago)", restarts.count, HumanDuration(now - restarts.last.ToWallTime()));
}

Value OrNone(const Value& text) { return text.IsEmpty() ? Value("<none>") : text; }

Value EndCondition(const std::string& phase) {
  const bool succeeded = phase == "Succeeded";
  if (!succeeded && phase != "Failed") return {};
  return Value::Array({Value::Object(
      {{"type", "Completed"},
       {"status", "True"},
       {"reason", phase},
       {"message", succeeded ? "The pod has completed successfully." : "The pod failed."}})});
}

}  // namespace

TableRow PrintPod(const Value& pod, WallTime now) {
  const PodSummary summary = Summarize(pod);
  const auto& ips = pod.Get("status", "podIPs").items();
  TableRow row;
  row.cells = {pod.Get("metadata", "name"),
               Format("{}/{}", summary.ready, ExpectedContainers(pod)),
               summary.reason,
               RestartsText(summary.restarts, now),
               AgeOf(pod.Get("metadata", "creationTimestamp"), now),
               OrNone(ips.empty() ? Value() : ips[0].Get("ip")),
               OrNone(pod.Get("spec", "nodeName")),
               OrNone(pod.Get("status", "nominatedNodeName")),
               ReadinessGates(pod)};
  row.conditions = EndCondition(pod.Get("status", "phase").AsString());
  return row;
}

}  // namespace capstan::testing::server
