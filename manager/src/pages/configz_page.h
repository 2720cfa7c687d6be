#pragma once

/// /configz: the effective configuration, in the format of Kubernetes components: {"GROUP": {...}}.

#include <functional>
#include <string>

#include "base/http/mux.h"

namespace capstan::manager {

/// `json` returns the object for `group` ("capstan.dev"). Threads: it is called from any thread.
void AddConfigzPage(http::Mux& mux, std::string group, std::function<std::string()> json);

}  // namespace capstan::manager
