#pragma once

/// The kubelet's record of a pod, and the bodies of its writes to pods and nodes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/api/meta_v1.h>
#include <capstan/testing/kubelet.h>

namespace capstan::testing::kubelet {

/// The fields of a Pod that the kubelet uses.
struct Container {
  InternedString name;
  InternedString image;
};
struct PodSpec {
  InternedString nodeName;
  List<Container> containers;
};
struct PodStatus {
  InternedString phase;
};
struct Pod {
  api::ObjectMeta metadata;
  PodSpec spec;
  PodStatus status;
};

/// The state of one pod, from the first time it is observed until it is gone.
struct PodRecord {
  Uid uid;
  List<Container> containers;
  PodBehaviour behaviour;
  int number = 0;
  std::string node;  ///< "" = not bound
  bool started = false;
  bool ready = false;
  bool failed = false;
  bool was_unready = false;  ///< a status has reported a reason for not being ready
  bool deleting = false;
  bool hanging = false;  ///< deletion waits until the behaviour changes
  api::Time start_time;
  api::Time ready_changed;
  api::Time failed_time;
};

/// Applies the pod's annotations, which take precedence over its behaviour.
PodBehaviour WithAnnotations(PodBehaviour behaviour, const api::ObjectMeta& metadata);
/// Parses a duration. Returns nullopt for "never" and for invalid texts.
std::optional<Duration> ParseDuration(std::string_view text);

std::string Binding(const NamespacedName& pod, const Uid& uid, std::string_view node);
/// The bodies of strategic merge patches of pods/NAME/status.
std::string StatusPatch(const PodRecord& pod, bool node_lost, int node_number, api::Time now);
std::string UnschedulablePatch(const Uid& uid, size_t nodes, api::Time now);

std::string NodeJson(std::string_view name);
/// The body of a strategic merge patch of nodes/NAME/status, with the complete status.
std::string NodeStatusPatch(std::string_view name, int number, bool ready, api::Time now);

}  // namespace capstan::testing::kubelet

CAPSTAN_DECLARE_TYPE(capstan::testing::kubelet::Container)
CAPSTAN_DECLARE_TYPE(capstan::testing::kubelet::PodSpec)
CAPSTAN_DECLARE_TYPE(capstan::testing::kubelet::PodStatus)
CAPSTAN_DECLARE_RESOURCE(capstan::testing::kubelet::Pod)
