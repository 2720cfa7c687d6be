#pragma once

/// The identity under which a process takes part in a leader election.

#include <string>
#include <string_view>

#include <capstan/runtime/runtime.h>

namespace capstan::manager {

/// "<hostname>_<random UUID>".
std::string NewIdentity(Runtime& runtime);

/// Converts `identity` to a DNS subdomain name, which the name of a LeaseCandidate must be.
std::string DnsSafe(std::string_view identity);

}  // namespace capstan::manager
