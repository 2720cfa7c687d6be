#pragma once

#include <string>

#include "bench/parts/manager_kind.h"

namespace capstan::bench {

/// Says on stderr what is measured now, with the time since the program's start.
void Say(const std::string& scenario, ManagerKind kind, const std::string& what);
void Say(const std::string& what);

}  // namespace capstan::bench
