#pragma once

// The story that is told: a Deployment rolls out, the leader is killed half-way, a standby takes
// over, and the rollout ends as if nothing had happened.

#include <stop_token>
#include <string>

#include "demo/screen.h"
#include "demo/stage.h"

namespace capstan::demo {

struct DemoOptions {
  std::string sample = "config/samples/deployment.yaml";
  std::string new_image = "registry.example/web:2.0";
};

// Errors say what did not happen in time, or which process ended.
Status RunDemo(const DemoOptions& options, Stage& stage, Screen& screen,
               const std::stop_token& stop);

// Applies the sample, says what to try, and waits for `stop`.
Status RunPlayground(const DemoOptions& options, Stage& stage, Screen& screen,
                     const std::stop_token& stop);

}  // namespace capstan::demo
