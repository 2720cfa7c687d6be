#pragma once

// What the kubelet knows of a pod, and what it writes about pods and nodes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/api/meta_v1.h>
#include <capstan/testing/kubelet.h>

namespace capstan::testing::kubelet {

// A Pod as far as a kubelet needs it.
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

// One pod from its first sight to its end.
struct PodRecord {
  Uid uid;
  List<Container> containers;
  PodBehaviour behaviour;
  int number = 0;
  std::string node;  // "" = not bound
  bool started = false;
  bool ready = false;
  bool failed = false;
  bool was_unready = false;  // a status gave a reason why it is not ready
  bool deleting = false;
  bool hanging = false;  // deleting, until the behaviour changes
  api::Time start_time;
  api::Time ready_changed;
  api::Time failed_time;
};

// What a pod's annotation says goes before its behaviour.
PodBehaviour WithAnnotations(PodBehaviour behaviour, const api::ObjectMeta& metadata);
// "never" is no duration. nullopt also for what is none.
std::optional<Duration> ParseDuration(std::string_view text);

std::string Binding(const NamespacedName& pod, const Uid& uid, std::string_view node);
// Strategic merge patches of pods/NAME/status.
std::string StatusPatch(const PodRecord& pod, bool node_lost, int node_number, api::Time now);
std::string UnschedulablePatch(const Uid& uid, size_t nodes, api::Time now);

std::string NodeJson(std::string_view name);
// Of nodes/NAME/status, with all that the status of a node holds.
std::string NodeStatusPatch(std::string_view name, int number, bool ready, api::Time now);

}  // namespace capstan::testing::kubelet

CAPSTAN_DECLARE_TYPE(capstan::testing::kubelet::Container)
CAPSTAN_DECLARE_TYPE(capstan::testing::kubelet::PodSpec)
CAPSTAN_DECLARE_TYPE(capstan::testing::kubelet::PodStatus)
CAPSTAN_DECLARE_RESOURCE(capstan::testing::kubelet::Pod)
