#pragma once

// The controllers' own plan functions, applied to states of the model. Results are cached, because
// many states look the same to a controller.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <capstan/api/apps_v1.h>

#include "state.h"

namespace capstan::model {

// The inputs of a sync of the Deployment.
struct DeploymentView {
  DeploymentState deployment;
  SetStates sets;
  uint8_t unfinished = 0;  // one bit per image: its ReplicaSet has pods that still exist
  friend bool operator==(const DeploymentView&, const DeploymentView&) = default;
};

// The writes of a sync, in order.
struct DeploymentActs {
  std::optional<SetState> creation;
  std::vector<SetState> updates;  // the new states
  std::vector<uint8_t> deletions;
  uint8_t complete = 0;
  bool rolls_back = false;  // the annotation is removed, and ...
  uint8_t image = 0;        // ... this image is set
  std::string complaint;    // a rule that the plan itself breaks
};

struct SetActs {
  int creates = 0;
  int deletes_unready = 0;
  int deletes_ready = 0;
  uint8_t status_replicas = 0;
  uint8_t status_available = 0;
};

class Plans {
 public:
  explicit Plans(const Bounds& bounds);

  const DeploymentActs& For(const DeploymentView& view);
  SetActs For(uint8_t replicas, const PodState& pods);
  // Returns what is wrong with the status of a Deployment that no longer changes, or "".
  std::string CheckStatus(const DeploymentView& view);
  size_t asked() const { return known_.size(); }

 private:
  struct Hash {
    size_t operator()(const DeploymentView& view) const;
  };
  api::apps::v1::Deployment MakeDeployment(const DeploymentState& state) const;
  api::apps::v1::ReplicaSet MakeSet(const SetState& state, size_t index) const;
  DeploymentActs Ask(const DeploymentView& view) const;

  const Bounds bounds_;
  std::unordered_map<DeploymentView, DeploymentActs, Hash> known_;
  std::unordered_map<uint32_t, SetActs> known_sets_;
};

}  // namespace capstan::model
