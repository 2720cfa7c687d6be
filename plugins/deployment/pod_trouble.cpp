#include "pod_trouble.h"

#include <algorithm>
#include <string_view>

#include <capstan/runtime/format.h>

namespace capstan::deployment {
namespace {

// A pod disappears shortly after its grace period unless something blocks its deletion.
constexpr int64_t kTerminationTolerance = 60;

int64_t SecondsSince(api::Time time, WallTime now) {
  constexpr int64_t kFar = 4'000'000'000;  // clamps implausible times
  return std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count() -
         std::clamp<int64_t>(time.seconds(), -kFar, kFar);
}

const PodConditionDetail* FindPodCondition(const DetailedPod& pod, std::string_view type) {
  const auto& conditions = pod.status.conditions;
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const auto& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

PodTrouble Terminating(const DetailedPod& pod, WallTime now) {
  PodTrouble trouble{.reason = "Terminating", .since = pod.metadata.deletionTimestamp};
  trouble.needs_help = SecondsSince(pod.metadata.deletionTimestamp, now) > kTerminationTolerance;
  if (!pod.metadata.finalizers.empty()) {
    trouble.message =
        "it is being deleted and blocked by the finalizer " + pod.metadata.finalizers[0].str();
    trouble.needs_help = true;
  } else if (pod.spec.nodeName.empty()) {
    trouble.message = "it is being deleted";
  } else if (trouble.needs_help) {
    trouble.message = "its grace period is over, and node " + pod.spec.nodeName +
                      " has not confirmed its termination";
  } else {
    trouble.message = "it is being deleted on node " + pod.spec.nodeName;
  }
  return trouble;
}

std::string Exit(const ContainerTerminated& terminated) {
  std::string text = "exit code " + std::to_string(terminated.exitCode);
  if (!terminated.reason.empty()) text += " (" + terminated.reason + ")";
  return text;
}

PodTrouble Finished(const DetailedPod& pod) {
  PodTrouble trouble{.reason = pod.status.reason.empty() ? pod.status.phase : pod.status.reason,
                     .message = pod.status.message,
                     .since = pod.metadata.creationTimestamp,
                     .needs_help = true};
  for (const ContainerDetail& container : pod.status.containerStatuses) {
    if (!trouble.message.empty() || !container.state.terminated) continue;
    trouble.message = Format("container \"{}\" terminated with {}", container.name,
                             Exit(*container.state.terminated));
    trouble.since = container.state.terminated->finishedAt;
  }
  return trouble;
}

std::optional<PodTrouble> Unscheduled(const DetailedPod& pod) {
  const PodConditionDetail* scheduled = FindPodCondition(pod, "PodScheduled");
  if (scheduled && scheduled->status == "False") {
    return PodTrouble{.reason = scheduled->reason.empty() ? "Unschedulable" : scheduled->reason,
                      .message = scheduled->message,
                      .since = scheduled->lastTransitionTime,
                      .needs_help = true};
  }
  if (!pod.spec.nodeName.empty()) return std::nullopt;
  return PodTrouble{.reason = "NotScheduled",
                    .message = "no scheduler has processed it yet",
                    .since = pod.metadata.creationTimestamp};
}

// The restarts of a container, e.g. ", restarted 7 times, last exit code 1 (Error)".
std::string History(const ContainerDetail& container) {
  if (container.restartCount <= 0) return "";
  std::string text = Format(", restarted {} times", container.restartCount);
  if (container.restartCount == 1) text = ", restarted once";
  if (container.lastState.terminated) text += ", last " + Exit(*container.lastState.terminated);
  return text;
}

bool IsOrdinary(const std::string& waiting_reason) {
  return waiting_reason.empty() || waiting_reason == "ContainerCreating" ||
         waiting_reason == "PodInitializing";
}

// Returns the trouble of a container that cannot start or does not keep running.
std::optional<PodTrouble> Broken(const ContainerDetail& container, bool is_init) {
  const std::string who =
      Format(is_init ? "init container \"{}\"" : "container \"{}\"", container.name) +
      History(container);
  const auto& last = container.lastState.terminated;
  const api::Time since = last ? last->finishedAt : api::Time();
  if (container.state.waiting && !IsOrdinary(container.state.waiting->reason)) {
    return PodTrouble{.reason = container.state.waiting->reason,
                      .message = who + ": " + container.state.waiting->message,
                      .since = since,
                      .needs_help = true};
  }
  if (const auto& ended = container.state.terminated; ended && (!is_init || ended->exitCode != 0)) {
    return PodTrouble{.reason = ended->reason.empty() ? "ContainerEnded" : ended->reason,
                      .message = who + ": terminated with " + Exit(*ended),
                      .since = ended->finishedAt,
                      .needs_help = true};
  }
  if (!container.ready && container.state.running && container.restartCount > 0 && last) {
    return PodTrouble{.reason = "Restarting", .message = who, .since = since, .needs_help = true};
  }
  return std::nullopt;
}

// Returns the trouble of a container that is starting.
std::optional<PodTrouble> Starting(const ContainerDetail& container, bool is_init) {
  if (container.ready) return std::nullopt;
  if (const auto& waiting = container.state.waiting) {
    PodTrouble trouble{.reason = waiting->reason.empty() ? "ContainerCreating" : waiting->reason,
                       .message = Format("container \"{}\"", container.name)};
    if (!waiting->message.empty()) trouble.message += ": " + waiting->message;
    return trouble;
  }
  const auto& running = container.state.running;
  if (!running) return std::nullopt;
  if (is_init) {
    return PodTrouble{.reason = "Initializing",
                      .message = Format("init container \"{}\" has not completed", container.name),
                      .since = running->startedAt};
  }
  if (container.started == false) {
    return PodTrouble{
        .reason = "StartupProbe",
        .message = Format("container \"{}\" runs, but its startup probe has not succeeded",
                          container.name),
        .since = running->startedAt};
  }
  return PodTrouble{.reason = "NotReady",
                    .message = Format("container \"{}\" runs, but its readiness probe does not "
                                      "succeed",
                                      container.name),
                    .since = running->startedAt};
}

std::optional<PodTrouble> OfContainers(const DetailedPod& pod) {
  const DetailedPodStatus& status = pod.status;
  for (const auto& container : status.initContainerStatuses) {
    if (auto trouble = Broken(container, true)) return trouble;
  }
  for (const auto& container : status.containerStatuses) {
    if (auto trouble = Broken(container, false)) return trouble;
  }
  // The other containers wait for a running init container. A sidecar runs permanently, and is
  // ready.
  for (const auto& container : status.initContainerStatuses) {
    if (!container.state.running) continue;
    if (auto trouble = Starting(container, true)) return trouble;
  }
  for (const auto& container : status.containerStatuses) {
    if (auto trouble = Starting(container, false)) return trouble;
  }
  return std::nullopt;
}

PodTrouble Unready(const DetailedPod& pod, const PodConditionDetail* ready) {
  PodTrouble trouble{.reason = "NotReady", .since = pod.metadata.creationTimestamp};
  if (ready) {
    if (!ready->reason.empty()) trouble.reason = ready->reason;
    trouble.since = ready->lastTransitionTime;
    trouble.message = ready->message;
  }
  if (trouble.message.empty()) {
    trouble.message = pod.status.containerStatuses.empty()
                          ? "node " + pod.spec.nodeName + " has not started it yet"
                          : "its containers run; node " + pod.spec.nodeName +
                                " has not confirmed that it is ready";
  }
  return trouble;
}

std::optional<PodTrouble> Find(const DetailedPod& pod, int32_t min_ready_seconds, WallTime now) {
  if (!pod.metadata.deletionTimestamp.IsZero()) return Terminating(pod, now);
  if (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return Finished(pod);
  const PodConditionDetail* ready = FindPodCondition(pod, "Ready");
  if (!ready || ready->status != "True") {
    if (auto trouble = Unscheduled(pod)) return trouble;
    auto trouble = OfContainers(pod);
    if (!trouble) return Unready(pod, ready);
    if (trouble->since.IsZero() && ready) trouble->since = ready->lastTransitionTime;
    if (trouble->since.IsZero()) trouble->since = pod.metadata.creationTimestamp;
    return trouble;
  }
  if (min_ready_seconds <= 0 || ready->lastTransitionTime.IsZero()) return std::nullopt;
  const int64_t age = std::max<int64_t>(0, SecondsSince(ready->lastTransitionTime, now));
  if (age >= min_ready_seconds) return std::nullopt;
  return PodTrouble{
      .reason = "MinReadySeconds",
      .message = Format("it has been ready for {} of {} seconds", age, min_ready_seconds),
      .since = ready->lastTransitionTime};
}

}  // namespace

std::optional<PodTrouble> TroubleOf(const DetailedPod& pod, int32_t min_ready_seconds,
                                    WallTime now) {
  auto trouble = Find(pod, min_ready_seconds, now);
  if (trouble) {
    trouble->reason = Excerpt(trouble->reason);
    trouble->message = Excerpt(trouble->message);
  }
  return trouble;
}

std::string Excerpt(const std::string& text) {
  constexpr size_t kLongest = 1000;
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

}  // namespace capstan::deployment
