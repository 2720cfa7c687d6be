#pragma once

/// The steps of the demonstration: a Deployment rolls out, the leader is killed half-way, a standby
/// takes over, and the rollout completes.

#include <stop_token>
#include <string>

#include "demo/screen.h"
#include "demo/stage.h"

namespace capstan::demo {

struct DemoOptions {
  std::string sample = "config/samples/deployment.yaml";
  std::string new_image = "registry.example/web:2.0";
};

/// Errors name the event that did not happen before its deadline, or the process that ended.
Status RunDemo(const DemoOptions& options, Stage& stage, Screen& screen,
               const std::stop_token& stop);

/// Applies the sample, prints suggestions, and waits for `stop`.
Status RunPlayground(const DemoOptions& options, Stage& stage, Screen& screen,
                     const std::stop_token& stop);

}  // namespace capstan::demo
