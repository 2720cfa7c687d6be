#pragma once

/// By what name a process takes part in an election.

#include <string>
#include <string_view>

#include <capstan/runtime/runtime.h>

namespace capstan::manager {

/// "<hostname>_<random UUID>".
std::string NewIdentity(Runtime& runtime);

/// The identity as a DNS subdomain name, which a LeaseCandidate needs to have.
std::string DnsSafe(std::string_view identity);

}  // namespace capstan::manager
