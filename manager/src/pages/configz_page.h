#pragma once

/// /configz: the configuration in effect, as Kubernetes components serve it: {"GROUP": {...}}.

#include <functional>
#include <string>

#include "base/http/mux.h"

namespace capstan::manager {

/// `json` gives the object of `group` ("capstan.dev"). Threads: called from any thread.
void AddConfigzPage(http::Mux& mux, std::string group, std::function<std::string()> json);

}  // namespace capstan::manager
