#pragma once

/// Flags of kube-controller-manager and Argo Rollouts that have no effect in Capstan. Some are
/// accepted, so that an existing command line can be reused. The others are refused with a reason.

#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "base/cli/flag_set.h"

namespace capstan::manager {

/// Receives the values of accepted flags, which are ignored. It must outlive the FlagSet that they
/// are added to.
struct IgnoredValues {
  bool disable_http2 = false;
  bool address_sharing = false;
  int http2_streams = 0;
  Duration flush_frequency = std::chrono::seconds(5);
};

/// Adds the foreign flags that `flags` does not have yet. A plugin may define a flag of one of
/// kube-controller-manager's controllers.
void AddForeignFlags(cli::FlagSet& flags, IgnoredValues& ignored);

struct RefusedFlag {
  std::string_view name;
  std::string_view reason;
  std::string_view harmless;  ///< a value that is accepted; "" = no value
};
/// The flags that are refused.
std::vector<RefusedFlag> RefusedFlags();

}  // namespace capstan::manager
