#include "cluster/kubelet_pod.h"

#include <charconv>
#include <utility>

#include <capstan/runtime/format.h>

#include "json/value.h"

CAPSTAN_DEFINE_TYPE(capstan::testing::kubelet::Container, CAPSTAN_FIELD(name), CAPSTAN_FIELD(image))
CAPSTAN_DEFINE_TYPE(capstan::testing::kubelet::PodSpec, CAPSTAN_FIELD(nodeName),
                    CAPSTAN_FIELD(containers))
CAPSTAN_DEFINE_TYPE(capstan::testing::kubelet::PodStatus, CAPSTAN_FIELD(phase))
CAPSTAN_DEFINE_RESOURCE(capstan::testing::kubelet::Pod,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))

namespace capstan::testing::kubelet {
namespace {

using json::Value;

constexpr char kReadyAfter[] = "capstan.dev/ready-after";
constexpr char kKubeletVersion[] = "v1.36.3";

Value Condition(const char* type, bool is_true, api::Time changed, const char* reason = "",
                const char* message = "") {
  Value condition = Value::Object({{"lastTransitionTime", changed.ToString()},
                                   {"status", is_true ? "True" : "False"},
                                   {"type", type}});
  if (*reason) condition.Set("reason", reason);
  if (*message) condition.Set("message", message);
  return condition;
}

std::string PodAddress(int number) {
  constexpr int kHosts = 254;
  return Format("10.244.{}.{}", number / kHosts % 256, number % kHosts + 1);
}

std::string NodeAddress(int number) { return Format("192.168.49.{}", number % 250 + 2); }

Value ContainerStatus(const Container& container, const PodRecord& pod, bool ready) {
  Value state;
  if (pod.failed) {
    state.Set("terminated", Value::Object({{"exitCode", 1},
                                           {"finishedAt", pod.failed_time.ToString()},
                                           {"reason", "Error"},
                                           {"startedAt", pod.start_time.ToString()}}));
  } else {
    state.Set("running", Value::Object({{"startedAt", pod.start_time.ToString()}}));
  }
  return Value::Object({{"image", container.image.view()},
                        {"imageID", ""},
                        {"lastState", Value::Object()},
                        {"name", container.name.view()},
                        {"ready", ready},
                        {"restartCount", 0},
                        {"started", !pod.failed},
                        {"state", std::move(state)}});
}

Value Patch(const Uid& uid, Value status) {
  return Value::Object(
      {{"metadata", Value::Object({{"uid", uid.str()}})}, {"status", std::move(status)}});
}

// A rejected pod has no container statuses.
Value RejectedStatus(const PodRecord& pod) {
  const std::string message = Format("Pod was rejected: {}", pod.behaviour.rejected);
  return Value::Object(
      {{"conditions", Value::Array({Condition("PodScheduled", true, pod.start_time)})},
       {"message", message},
       {"phase", "Failed"},
       {"reason", pod.behaviour.rejected},
       {"startTime", pod.start_time.ToString()}});
}

}  // namespace

PodBehaviour WithAnnotations(PodBehaviour behaviour, const api::ObjectMeta& metadata) {
  const std::string_view text = metadata.annotations.Get(kReadyAfter);
  if (text == "never") {
    behaviour.ready_after.reset();
  } else if (const auto duration = ParseDuration(text)) {
    behaviour.ready_after = duration;
  }
  return behaviour;
}

std::optional<Duration> ParseDuration(std::string_view text) {
  using namespace std::chrono_literals;
  constexpr std::pair<std::string_view, Duration> kUnits[] = {{"ms", 1ms}, {"us", 1us}, {"ns", 1ns},
                                                              {"s", 1s},   {"m", 1min}, {"h", 1h}};
  constexpr double kMost = 1e18;
  if (text.empty()) return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const auto* unit = std::begin(kUnits);
    while (unit != std::end(kUnits) && !text.starts_with(unit->first)) ++unit;
    if (unit == std::end(kUnits)) return std::nullopt;
    text.remove_prefix(unit->first.size());
    sum += number * static_cast<double>(unit->second.count());
    if (!(sum <= kMost)) return std::nullopt;
  }
  return Duration(static_cast<int64_t>(sum));
}

std::string Binding(const NamespacedName& pod, const Uid& uid, std::string_view node) {
  return ToJson(Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "Binding"},
       {"metadata", Value::Object({{"name", pod.name}, {"uid", uid.str()}})},
       {"target", Value::Object({{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}})}}));
}

std::string StatusPatch(const PodRecord& pod, bool node_lost, int node_number, api::Time now) {
  if (!pod.behaviour.rejected.empty()) return ToJson(Patch(pod.uid, RejectedStatus(pod)));
  const bool running = pod.ready && !pod.failed;
  const bool ready = running && !node_lost;
  // A patch removes only the members that it names.
  const auto condition = [&](const char* type, bool is_true, api::Time changed,
                             const char* reason = "") {
    Value value = Condition(type, is_true, changed, reason);
    if (is_true && pod.was_unready) {
      value.Set("reason", Value());
      value.Set("message", Value());
    }
    return value;
  };
  const char* reason = pod.failed ? "PodFailed" : running ? "" : "ContainersNotReady";
  const api::Time changed = node_lost && running ? now : pod.ready_changed;
  Value containers = Value::Array();
  for (const Container& container : pod.containers) {
    containers.Append(ContainerStatus(container, pod, running));
  }
  const std::string pod_address = PodAddress(pod.number);
  const std::string host_address = NodeAddress(node_number);
  return ToJson(Patch(
      pod.uid, Value::Object(
                   {{"conditions",
                     Value::Array({condition("PodScheduled", true, pod.start_time),
                                   condition("Initialized", true, pod.start_time),
                                   condition("ContainersReady", running, pod.ready_changed, reason),
                                   condition("Ready", ready, changed,
                                             node_lost && running ? "NodeNotReady" : reason)})},
                    {"containerStatuses", std::move(containers)},
                    {"hostIP", host_address},
                    {"hostIPs", Value::Array({Value::Object({{"ip", host_address}})})},
                    {"phase", pod.failed ? "Failed" : "Running"},
                    {"podIP", pod_address},
                    {"podIPs", Value::Array({Value::Object({{"ip", pod_address}})})},
                    {"startTime", pod.start_time.ToString()}})));
}

std::string UnschedulablePatch(const Uid& uid, size_t nodes, api::Time now) {
  const std::string message = Format("0/{} nodes are available.", nodes);
  return ToJson(Patch(
      uid, Value::Object(
               {{"conditions", Value::Array({Condition("PodScheduled", false, now, "Unschedulable",
                                                       message.c_str())})}})));
}

std::string NodeJson(std::string_view name) {
  return ToJson(Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata", Value::Object({{"labels", Value::Object({{"kubernetes.io/arch", "amd64"},
                                                             {"kubernetes.io/hostname", name},
                                                             {"kubernetes.io/os", "linux"}})},
                                   {"name", name}})}}));
}

std::string NodeStatusPatch(std::string_view name, int number, bool ready, api::Time now) {
  Value condition =
      ready ? Condition("Ready", true, now, "KubeletReady", "kubelet is posting ready status")
            : Condition("Ready", false, now, "NodeStatusUnknown",
                        "Kubelet stopped posting node status.");
  if (!ready) condition.Set("status", "Unknown");
  condition.Set("lastHeartbeatTime", now.ToString());
  const Value capacity = Value::Object({{"cpu", "8"}, {"memory", "32Gi"}, {"pods", "110"}});
  const Value addresses =
      Value::Array({Value::Object({{"address", NodeAddress(number)}, {"type", "InternalIP"}}),
                    Value::Object({{"address", name}, {"type", "Hostname"}})});
  const Value node_info = Value::Object({{"architecture", "amd64"},
                                         {"bootID", ""},
                                         {"containerRuntimeVersion", "containerd://2.1.0"},
                                         {"kernelVersion", "6.1.0"},
                                         {"kubeProxyVersion", ""},
                                         {"kubeletVersion", kKubeletVersion},
                                         {"machineID", ""},
                                         {"operatingSystem", "linux"},
                                         {"osImage", "Capstan"},
                                         {"systemUUID", ""}});
  return ToJson(
      Value::Object({{"status", Value::Object({{"addresses", addresses},
                                               {"allocatable", capacity},
                                               {"capacity", capacity},
                                               {"conditions", Value::Array({std::move(condition)})},
                                               {"nodeInfo", node_info}})}}));
}

}  // namespace capstan::testing::kubelet
