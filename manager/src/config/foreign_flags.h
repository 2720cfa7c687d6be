#pragma once

/// Flags of kube-controller-manager and Argo Rollouts that mean nothing here. Some are accepted,
/// since a command line that is carried over should not fail for them; the others say why not.

#include <cstddef>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "base/cli/flag_set.h"

namespace capstan::manager {

/// Takes the values that nobody reads. Must outlive the set that they are added to.
struct IgnoredValues {
  bool disable_http2 = false;
  bool address_sharing = false;
  int http2_streams = 0;
  Duration flush_frequency = std::chrono::seconds(5);
  size_t content_type = 0;
};

/// Adds those that `flags` does not have already: a plugin may bring a flag of a controller that
/// only kube-controller-manager had until then.
void AddForeignFlags(cli::FlagSet& flags, IgnoredValues& ignored);

struct RefusedFlag {
  std::string_view name;
  std::string_view reason;
  std::string_view harmless;  ///< a value that is accepted; "" = none
};
/// Those that are refused.
std::vector<RefusedFlag> RefusedFlags();

}  // namespace capstan::manager
